/** The lines that a support archive has of a log: the last ones, each cut. */
export const LOG_LINES = 1000
export const LINE_LENGTH = 2000

const tail: string[] = []

/** Remembers a line of the log, of the last thousand, for the support archive; answers it unchanged. */
export function keepLine(line: string): string {
  tail.push(line.slice(0, LINE_LENGTH))
  if (tail.length > LOG_LINES) tail.shift()
  return line
}

/** The last lines that this process has logged. */
export const lastLines = (): readonly string[] => tail
