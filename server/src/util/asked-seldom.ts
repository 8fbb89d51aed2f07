/** Asks again only when the last answer is older than this; calls meanwhile share it. A failure is not kept. */
export function askedSeldom<T>(ask: () => Promise<T>, milliseconds: number): () => Promise<T> {
  let answer: { readonly at: number; readonly value: Promise<T> } | null = null;
  return () => {
    const now = performance.now();
    if (answer === null || now - answer.at >= milliseconds) {
      const asked = { at: now, value: ask() };
      answer = asked;
      asked.value.catch(() => {
        if (answer === asked) answer = null;
      });
    }
    return answer.value;
  };
}
