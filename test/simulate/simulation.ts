import { createHash } from "node:crypto";
import { setImmediate as settle } from "node:timers/promises";
import type { Chance } from "./chance.ts";

/**
 * Simulated time, and who does something next. Whatever takes time (a statement, a request, a sleep) is an event that
 * waits for its moment; exactly one happens at a time, and all that follows from it is done before the next. So a seed
 * decides the whole course of a world, to the last statement.
 */
export interface Simulation {
  readonly nowMs: number;
  /** What has happened so far, a line each. */
  readonly trace: readonly string[];
  happen<T>(event: Happening<T>): Promise<T>;
  sleep(process: SimulatedProcess, ms: number, signal?: AbortSignal): Promise<void>;
  note(process: SimulatedProcess, line: string): void;
  /** The process does nothing from now on; what it has sent may still arrive. */
  kill(process: SimulatedProcess): void;
  /** The process stands still, and goes on later as if no time had passed. */
  pause(process: SimulatedProcess, ms: number): void;
  /** Lets things happen until `main` is done. */
  drive<T>(main: Promise<T>): Promise<T>;
}

export interface SimulatedProcess {
  readonly name: string;
  dead: boolean;
  pausedUntilMs: number;
  /** Cleans up what the operating system would: called once, at the death. */
  onDeath: (() => void)[];
}

export interface Happening<T> {
  readonly process: SimulatedProcess;
  readonly label: string;
  readonly afterMs: number;
  readonly act: () => T | Promise<T>;
  /** Called off with an error of this kind when the signal comes. */
  readonly signal?: AbortSignal | undefined;
  readonly calledOff?: () => Error;
  /** Events that may not happen yet wait for others. */
  readonly isReady?: () => boolean;
  /** Is on its way to someone else: it may arrive although its sender is dead. */
  readonly outlivesSender?: boolean;
}

interface Event {
  readonly happening: Happening<unknown>;
  atMs: number;
  /** Decides between events of one moment. */
  readonly place: number;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  stopListening: () => void;
}

/** Far more than any world needs; only one that never comes to rest gets there. */
const eventsMax = 40_000;

export class NeverAtRest extends Error {
  constructor(why: string) {
    super(why);
    this.name = "NeverAtRest";
  }
}

export function startProcess(name: string): SimulatedProcess {
  return { name, dead: false, pausedUntilMs: 0, onDeath: [] };
}

export function createSimulation(options: { startMs: number; chance: Chance }): Simulation {
  const { chance } = options;
  let nowMs = options.startMs;
  let events: Event[] = [];
  const trace: string[] = [];

  const dueMs = ({ atMs, happening: { process } }: Event) =>
    process.dead ? atMs : Math.max(atMs, process.pausedUntilMs);

  function takeNext(): Event | null {
    let next: Event | null = null;
    for (const event of events) {
      if (event.happening.isReady?.() === false) continue;
      const sooner = next === null ? -1 : dueMs(event) - dueMs(next) || event.place - next.place;
      if (sooner < 0) next = event;
    }
    if (next) remove(next);
    return next;
  }

  function remove(event: Event): void {
    events = events.filter((other) => other !== event);
    event.stopListening();
  }

  function note(process: SimulatedProcess, line: string): void {
    trace.push(`${new Date(nowMs).toISOString().slice(5, -1)} ${process.name}: ${line}`);
  }

  function happen<T>(happening: Happening<T>): Promise<T> {
    const { process, signal, calledOff } = happening;
    if (process.dead) return new Promise<T>(() => undefined);
    return new Promise<T>((resolve, reject) => {
      const event: Event = {
        happening,
        // Whole milliseconds: all that the database's clock shows.
        atMs: nowMs + Math.ceil(happening.afterMs),
        place: chance.share(),
        resolve: resolve as (value: unknown) => void,
        reject,
        stopListening: () => undefined,
      };
      const abort = () => {
        remove(event);
        reject(calledOff?.() ?? new DOMException("called off", "AbortError"));
      };
      if (signal?.aborted) return abort();
      if (signal) {
        signal.addEventListener("abort", abort);
        event.stopListening = () => signal.removeEventListener("abort", abort);
      }
      events.push(event);
    });
  }

  async function step(event: Event): Promise<void> {
    const { happening } = event;
    nowMs = Math.max(nowMs, dueMs(event));
    // Noted before it is known how it ends: what it leads to is noted as events of its own.
    note(happening.process, happening.label);
    try {
      const result = await happening.act();
      if (!happening.process.dead) event.resolve(result);
    } catch (error) {
      if (!happening.process.dead) event.reject(error);
    }
  }

  return {
    get nowMs() {
      return nowMs;
    },
    trace,
    note,
    happen,
    sleep: (process, ms, signal) =>
      happen({ process, label: `slept ${Math.round(ms)} ms`, afterMs: ms, signal, act: () => undefined }),
    kill(process) {
      if (process.dead) return;
      process.dead = true;
      note(process, "dies");
      const own = events.filter(({ happening }) => happening.process === process);
      for (const event of own) {
        if (event.happening.outlivesSender !== true || chance.happens(0.5)) remove(event);
      }
      for (const cleanUp of process.onDeath) cleanUp();
    },
    pause(process, ms) {
      note(process, `stands still for ${Math.round(ms)} ms`);
      process.pausedUntilMs = nowMs + Math.ceil(ms);
    },
    async drive(main) {
      let isDone = false;
      const ended = main.finally(() => void (isDone = true));
      // Awaited below, when there is nothing left to do.
      ended.catch(() => undefined);
      for (;;) {
        await settle();
        if (isDone) return ended;
        const event = takeNext();
        if (!event) throw new NeverAtRest("everyone waits, and nothing is to happen");
        if (trace.length > eventsMax) throw new NeverAtRest(`no rest after ${eventsMax} events`);
        await step(event);
      }
    },
  };
}

/** Two courses with one digest are one course. */
export function digestOf(lines: readonly string[]): string {
  return createHash("sha256").update(lines.join("\n")).digest("hex").slice(0, 16);
}
