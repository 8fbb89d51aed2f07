export interface Disposable {
  dispose(): void;
}

/** An event with listeners. A listener that throws does not stop the others. */
export class Emitter<T> {
  readonly #listeners = new Set<(value: T) => void>();

  readonly event = (listener: (value: T) => void): Disposable => {
    // Wrapped, so that the same function can register twice and each registration ends by itself.
    const registration = (value: T): void => listener(value);
    this.#listeners.add(registration);
    return { dispose: () => void this.#listeners.delete(registration) };
  };

  fire(value: T): void {
    const failures: unknown[] = [];
    for (const listener of [...this.#listeners]) {
      try {
        listener(value);
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
