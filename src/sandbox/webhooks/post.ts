/** Sends one event and returns the receiver's status; 0 when there was no answer in time. Redirects are not followed. */
export async function postEvent(
  url: string,
  headers: Record<string, string>,
  body: string,
  stopping: AbortSignal,
): Promise<number> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers,
      body,
      redirect: "manual",
      signal: AbortSignal.any([stopping, AbortSignal.timeout(timeoutMs)]),
    });
    // Read to its end, so that the connection can be used again; what it says does not matter.
    await response.arrayBuffer();
    return response.status;
  } catch {
    return 0;
  }
}

const timeoutMs = 15_000;
