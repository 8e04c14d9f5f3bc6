const UNITS = ['B', 'KB', 'MB', 'GB', 'TB', 'PB']

/** `12.3 GB`, in powers of 1024; the same in every language. */
export function bytesInWords(bytes: number): string {
  const power = Math.min(Math.max(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), 0), UNITS.length - 1)
  const number = bytes / 1024 ** power
  return `${number < 10 && power > 0 ? Math.round(number * 10) / 10 : Math.round(number)} ${UNITS[power]}`
}
