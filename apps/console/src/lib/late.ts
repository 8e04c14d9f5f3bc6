/** After so long a wait the page says that it still waits, and offers a way on. Milliseconds. */
export const LATE_MS = 5000
