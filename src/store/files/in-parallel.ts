/** A few at a time, started in order. After a failure no more are started. */
export async function inParallel<T>(
  items: readonly T[],
  atOnceMax: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = items.values();
  let failed = false;
  const worker = async () => {
    for (const item of waiting) {
      if (failed) return;
      try {
        await work(item);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: atOnceMax }, worker));
  const broken = ended.find((one) => one.status === "rejected");
  if (broken) throw broken.reason;
}
