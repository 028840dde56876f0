// What the page keeps in the browser: how it looks, and the game that goes on.
import type { KeptClock, Setup } from "./messages";

export interface Settings {
  theme: "auto" | "light" | "dark";
  scheme: "usual" | "blind";
  coordinates: boolean;
  candidates: boolean;
  ownership: boolean;
  side: "black" | "mover";
  preset: string;
}

export interface KeptGame {
  setup: Setup;
  sgf: string;
  clocks: [KeptClock, KeptClock] | null;
}

const USUAL: Settings = {
  theme: "auto",
  scheme: "usual",
  coordinates: true,
  candidates: true,
  ownership: false,
  side: "black",
  preset: "kikashi",
};

function read<T>(name: string): T | null {
  try {
    return JSON.parse(localStorage.getItem(name) ?? "null") as T | null;
  } catch {
    return null; // not allowed, or not ours
  }
}

function write(name: string, value: unknown): void {
  try {
    localStorage.setItem(name, JSON.stringify(value));
  } catch {
    // a full or forbidden store: nothing is lost but the memory of it
  }
}

export const readSettings = (): Settings => ({ ...USUAL, ...read<Partial<Settings>>("settings") });
export const writeSettings = (settings: Settings): void => write("settings", settings);
export const readGame = (): KeptGame | null => read<KeptGame>("game");
export const writeGame = (game: KeptGame | null): void => write("game", game);
export const readStudy = (): string | null => read<string>("study");
export const writeStudy = (sgf: string | null): void => write("study", sgf);
