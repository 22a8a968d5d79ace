// onWidth tells how wide an element is, now and when that changes, and gives what ends it. What is
// drawn changes the layout: within the notice of an observer that asks for the next notice, which
// browsers report as an error. So it is told in the next frame.
export function onWidth(element: HTMLElement, tell: (width: number) => void): () => void {
  let frame = 0;
  const watch = new ResizeObserver(() => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => tell(element.clientWidth));
  });
  watch.observe(element);
  return () => { watch.disconnect(); cancelAnimationFrame(frame); };
}
