export interface Disposable {
  dispose(): void;
}

/** An event with listeners. A listener that throws does not keep the others from being called. */
export class Emitter<T> {
  readonly #listeners = new Set<(value: T) => void>();

  readonly event = (listener: (value: T) => void): Disposable => {
    // Wrapped, so that the same function can listen twice and each registration ends on its own.
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
