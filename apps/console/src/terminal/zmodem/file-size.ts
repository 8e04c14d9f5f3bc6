const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'] as const

/** Bytes as people read them: `900 B`, `1.2 MB`. */
export function fileSize(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024
    unit++
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`
}
