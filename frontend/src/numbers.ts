// Numbers and names as people read them.
import type { PositionAnalysis } from "./messages";

export const percent = (share: number, digits = 1): string => `${(100 * share).toFixed(digits)} %`;
export const signed = (score: number): string => `${score > 0 ? "+" : score < 0 ? "−" : ""}${Math.abs(score).toFixed(1)}`;
/** A score in few characters. */
export const tiny = (score: number): string => (Math.abs(score) < 9.95 ? signed(score) : signed(Math.round(score)).replace(".0", ""));
export const inWords = (score: number): string => (Math.abs(score) < 0.05 ? "even" : `${score > 0 ? "B" : "W"}+${Math.abs(score).toFixed(1)}`);
export const plural = (count: number, noun: string): string => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
/** The fault of a number that is typed in; empty if it is right. */
export function faultOf(text: string, low: number, high: number, isWhole: boolean, what: string): string {
  const value = Number(text.trim() || NaN);
  const isRight = value >= low && value <= high && (!isWhole || Number.isInteger(value));
  return isRight ? "" : `${what} from ${low.toLocaleString("en")} to ${high.toLocaleString("en")}`;
}

export const colorName = (color: string): string => (color === "black" ? "Black" : "White");

/** "B+R" as "Black wins by resignation". */
export function resultInWords(result: string): string {
  const [, color, how] = /^([BW])\+(.*)$/.exec(result) ?? [];
  if (!color) return result === "0" || /^draw$/i.test(result) ? "Nobody wins: the score is even" : result;
  const by: Record<string, string> = { R: " by resignation", Resign: " by resignation", T: " on time", Time: " on time", F: " by forfeit", "": "" };
  return `${color === "B" ? "Black" : "White"} wins${by[how!] ?? ` by ${how} ${how === "1" || how === "0.5" ? "point" : "points"}`}`;
}

const RULES: Record<string, string> = {
  positional: "Area, positional superko",
  situational: "Area, situational superko",
  simple: "Area, simple ko",
  "tromp-taylor": "Tromp–Taylor",
  chinese: "Chinese",
  aga: "AGA",
  "new-zealand": "New Zealand",
  japanese: "Japanese",
  korean: "Korean",
};
export const rulesName = (rules: string): string => RULES[rules.toLowerCase()] ?? rules;

export const LEVELS = ["beginner", "very easy", "easy", "fairly easy", "medium", "fairly strong", "strong", "very strong", "expert", "strongest"];

export function short(count: number): string {
  if (count < 1000) return String(count);
  if (count < 1e6) return `${(count / 1000).toFixed(count < 1e4 ? 1 : 0)}k`;
  return `${(count / 1e6).toFixed(1)}M`;
}

/** A win rate of who is to play, from the side that the settings ask for. */
export const seenFrom = (side: "black" | "mover", analysis: PositionAnalysis, winrate: number): number =>
  side === "mover" || analysis.turn === "black" ? winrate : 1 - winrate;
export const scoreFrom = (side: "black" | "mover", analysis: PositionAnalysis, score: number): number =>
  side === "mover" || analysis.turn === "black" ? score : -score;

export function clockText(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds - 1e-6));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/** The standard error of a win rate near one half after so many simulations. */
export const errorOf = (simulations: number): number => 0.5 / Math.sqrt(Math.max(1, simulations));

/** The colour of a candidate: 0 for the worst, 1 for the best. */
export function colorOf(scheme: "usual" | "blind", share: number): string {
  const s = Math.max(0, Math.min(1, share));
  // Usual: from red over yellow to green and, for the best, blue-green; else from orange over grey to blue (after Okabe and Ito).
  if (scheme === "blind") {
    const from = [213, 94, 0];
    const middle = [214, 205, 190];
    const to = [86, 180, 233];
    const [a, b, t] = s < 0.5 ? [from, middle, 2 * s] : [middle, to, 2 * s - 1];
    return `rgb(${a.map((v, i) => Math.round(v + t * ((b[i] ?? 0) - v))).join(",")})`;
  }
  return `hsl(${Math.round(4 + 156 * s)} 70% ${Math.round(52 - 8 * s)}%)`;
}
