import type { Visitor } from "../deps.ts";

/**
 * How far the files have come that this process is reading, so that whoever sent one can ask. Where several processes
 * serve the page, another may be asked: then nothing is known, and the screen says "Reading …" as without this.
 */
export interface Progress {
  /** Runs the work, and keeps what it tells for as long as it runs. */
  during<T>(visitor: Visitor, form: string, work: (tell: (words: string) => void) => Promise<T>): Promise<T>;
  of(visitor: Visitor, form: string): string;
}

/** As a form names itself; anything else is not kept. */
const formName = /^[\da-f-]{36}$/;

export function createProgress(): Progress {
  const told = new Map<string, string>();
  // Nobody learns of the files of others, whatever name they guess.
  const keyOf = ({ caller }: Visitor, form: string) => `${caller.actor} ${form}`;
  return {
    async during(visitor, form, work) {
      if (!formName.test(form)) return work(() => undefined);
      const key = keyOf(visitor, form);
      try {
        return await work((words) => told.set(key, words));
      } finally {
        told.delete(key);
      }
    },
    of: (visitor, form) => told.get(keyOf(visitor, form)) ?? "",
  };
}
