const UNITS = ['B', 'KB', 'MB', 'GB', 'TB', 'PB']

/** `1.4 MB`, `512 MB`: one decimal below a hundred, but for bytes. Units of 1024; the same in every language. */
export function sizeText(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024
    unit += 1
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`
}
