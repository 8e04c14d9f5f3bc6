/** More digits than these say their number in a letter of its own. */
const FEW_DIGITS = 8

/**
 * Sorts as people count: `page2` before `page10`. Everything else goes by its code, as names do that
 * machines have made. Each name is written once so that the plain comparison orders it: there may be
 * a hundred thousand, and to look for the numbers in each comparison takes twice as long.
 */
export function inNaturalOrder<T>(all: readonly T[], nameOf: (one: T) => string): T[] {
  const named = all.map((one) => ({ one, name: nameOf(one), key: comparable(nameOf(one)) }))
  // `007` and `7` are the same number and not the same name.
  named.sort((a, b) => order(a.key, b.key) || order(a.name, b.name))
  return named.map(({ one }) => one)
}

const order = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

/** Before each number stands how many digits it has. */
const comparable = (name: string): string =>
  name.replaceAll(/\d+/g, (digits) => {
    const number = digits.replace(/^0+(?=\d)/, '')
    const { length } = number
    return `${length <= FEW_DIGITS ? length : `${FEW_DIGITS + 1}${String.fromCharCode(length)}`}${number}`
  })
