// Light and dark: as the reader's system wants it, until a choice is made. Paper is light.
import { useEffect, useState } from "preact/hooks";

const dark = matchMedia("(prefers-color-scheme: dark)");
let chosen: "light" | "dark" | null = null;
let printing = false;
const listeners = new Set<() => void>();

const changed = (): void => {
  if (chosen) document.documentElement.dataset.theme = chosen;
  listeners.forEach(f => f());
};
dark.addEventListener("change", changed);
for (const [event, on] of [["beforeprint", true], ["afterprint", false]] as const) {
  addEventListener(event, () => {
    printing = on;
    document.documentElement.classList.toggle("printing", on);
    changed();
  });
}

export const isDark = (): boolean => !printing && (chosen ? chosen === "dark" : dark.matches);

export function toggleTheme(): void {
  chosen = isDark() ? "light" : "dark";
  changed();
}

// useTheme makes a component draw again when colours change.
export function useTheme(): string {
  const [theme, set] = useState(themeName());
  useEffect(() => {
    const f = (): void => set(themeName());
    listeners.add(f);
    return () => { listeners.delete(f); };
  }, []);
  return theme;
}

const themeName = (): string => (printing ? "print" : isDark() ? "dark" : "light");

// colour reads one of the page's colours.
export const colour = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
