/** Counts that pwquality.conf may ask of a password; a negative one asks for so many of a class. */
const CLASSES: Readonly<Record<string, RegExp>> = {
  dcredit: /\d/g,
  ucredit: /[A-Z]/g,
  lcredit: /[a-z]/g,
  ocredit: /[^a-zA-Z\d]/g,
}

/**
 * The refusal of a password by a machine's pwquality.conf, in its own words; empty where there is
 * none. Root may set any password on most machines, but not where `enforce_for_root` is set.
 */
export function policyRefusal(password: string, policy: string): string {
  const rules = new Map(
    policy.split('\n').flatMap((line) => {
      const [name = '', value = ''] = line.split('=').map((part) => part.trim())
      return name ? [[name, value] as const] : []
    }),
  )
  if (!rules.has('enforce_for_root')) return ''
  const number = (name: string, otherwise: number) => Number(rules.get(name) ?? otherwise)
  if (password.length < Math.max(6, number('minlen', 8))) return `minlen = ${number('minlen', 8)}`
  const count = (pattern: RegExp) => password.match(pattern)?.length ?? 0
  if (Object.values(CLASSES).filter(count).length < number('minclass', 0)) return `minclass = ${rules.get('minclass')}`
  const short = Object.entries(CLASSES).find(([name, pattern]) => count(pattern) < -number(name, 0))
  return short ? `${short[0]} = ${rules.get(short[0])}` : ''
}
