// What the page keeps in the browser: how it looks, the last setup, and in this tab the token and what is open.
import type { Setup } from "./messages";

export interface Settings {
  theme: "auto" | "light" | "dark";
  scheme: "usual" | "blind";
  coordinates: boolean;
  candidates: boolean;
  ownership: boolean;
  numbers: boolean;
  sound: boolean;
  shortcuts: boolean;
  side: "black" | "mover";
  preset: string;
  depth: number; // simulations of each position of a review
  setup: Setup | null; // of the last game
}

const USUAL: Settings = {
  theme: "auto",
  scheme: "usual",
  coordinates: true,
  candidates: true,
  ownership: false,
  numbers: false,
  sound: false,
  shortcuts: true,
  side: "black",
  preset: "kikashi",
  depth: 400,
  setup: null,
};

function read<T>(store: Storage, name: string): T | null {
  try {
    return JSON.parse(store.getItem(name) ?? "null") as T | null;
  } catch {
    return null; // not allowed, or not ours
  }
}

function write(store: Storage, name: string, value: unknown): void {
  try {
    store.setItem(name, JSON.stringify(value));
  } catch {
    // a full or forbidden store: nothing is lost but the memory of it
  }
}

export const readSettings = (): Settings => ({ ...USUAL, ...read<Partial<Settings>>(localStorage, "settings") });
export const writeSettings = (settings: Settings): void => write(localStorage, "settings", settings);

/** What this tab has open, and the token that lets it in: no other tab, site or server sees them. */
type Kept = "token" | "tab" | "game" | "study";
export const kept = (name: Kept): string => read<string>(sessionStorage, name) ?? "";
export const keep = (name: Kept, value: string): void => write(sessionStorage, name, value);

/** Take the token out of the address: it stays neither in the history nor on the screen. */
export function takeToken(text: string): boolean {
  const token = /(?:#|\btoken=)(?:token=)?([\w-]{20,})/.exec(text)?.[1];
  if (token) keep("token", token);
  return !!token;
}
