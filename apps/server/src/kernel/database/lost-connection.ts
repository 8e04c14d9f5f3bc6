const lost = new WeakSet<Error>()

/**
 * Remembers that this error of the system is about a connection to the database: by its code alone
 * it could be about any other.
 */
export function noteLostConnection(error: Error): void {
  lost.add(error)
}

/** Whether the error is that of a connection to the database. */
export const isLostConnection = (error: Error): boolean => lost.has(error)
