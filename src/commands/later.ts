import { type CommandContext, createContext } from "./context.ts";

type Work<Given extends unknown[]> = (context: CommandContext, ...given: Given) => Promise<boolean | void>;

/**
 * What a command does, loaded when it is asked for: a typing error should be answered at once. `onFalse` is
 * called when the work says that not all is well.
 */
export function later<Given extends unknown[]>(load: () => Promise<Work<Given>>, onFalse?: () => void) {
  return async (...given: Given): Promise<void> => {
    const work = await load();
    if ((await work(createContext(), ...given)) === false) onFalse?.();
  };
}
