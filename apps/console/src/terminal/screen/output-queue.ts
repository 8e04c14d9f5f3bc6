/**
 * Feeds the terminal as fast as it draws. Its own buffer drops what is beyond 50 MB; a session that
 * prints more must not lose a byte.
 */

type Output = Uint8Array | string

/** How much the terminal is given before it must say that it has drawn. */
const IN_FLIGHT = 1 << 20

/**
 * Returns a function that takes output and passes it on in order, with at most about a megabyte not
 * yet drawn.
 */
export function outputQueue(write: (output: Output, written: () => void) => void): (output: Output) => void {
  const waiting: Output[] = []
  let head = 0
  let inFlight = 0

  function pump(): void {
    while (head < waiting.length && inFlight < IN_FLIGHT) {
      const output = waiting[head++] as Output
      inFlight += output.length
      write(output, () => {
        inFlight -= output.length
        pump()
      })
    }
    if (head === waiting.length) {
      waiting.length = 0
      head = 0
    } else if (head > 1000) {
      waiting.splice(0, head)
      head = 0
    }
  }

  return (output) => {
    waiting.push(output)
    pump()
  }
}
