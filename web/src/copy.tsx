import { useState } from "preact/hooks";

// Command is a command to be pasted, with a button that copies it.
export function Command({ text }: { text: string }) {
  const [said, say] = useState("");
  const copy = async (): Promise<void> => {
    say(await toClipboard(text) ? "Copied" : "Press Ctrl+C");
    setTimeout(() => say(""), 2000);
  };
  return (
    <span class="command">
      <code tabIndex={-1}>{text}</code>
      <button type="button" class="copy" onClick={copy} aria-label={`Copy the command: ${text}`}>{said || "Copy"}</button>
      <span class="hidden" role="status">{said && `${said}: ${text}`}</span>
    </span>
  );
}

// toClipboard copies a text. Pages that were opened from a file may have no clipboard: then a
// selection is copied.
async function toClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    area.className = "hidden";
    document.body.append(area);
    const before = document.activeElement;
    area.select();
    let done = false;
    try { done = document.execCommand("copy"); } catch { /* the reader copies by hand */ }
    area.remove();
    if (before instanceof HTMLElement) before.focus();
    return done;
  }
}
