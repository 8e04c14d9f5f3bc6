import type { JWTPayload } from 'jose'
import type { ClaimRule } from '../tables.ts'

/** Longer texts of a claim fit nothing. */
const MAX_TEXT = 2048

/** Whether all rules fit the claims of a token; without any rule none does. */
export const claimsFit = (rules: readonly ClaimRule[], claims: JWTPayload): boolean =>
  rules.length > 0 && rules.every(({ claim, value }) => textsOf(claims, claim).some((text) => fits(value, text)))

/**
 * The texts of a claim: one, or those of a list. A claim of its whole name comes first, as names may
 * hold any character; else `kubernetes.io/namespace` is a claim within another one.
 */
function textsOf(claims: JWTPayload, name: string): string[] {
  const own = (object: unknown, key: string): unknown =>
    typeof object === 'object' && object !== null && !Array.isArray(object) && Object.hasOwn(object, key)
      ? (object as Record<string, unknown>)[key]
      : undefined
  const found = own(claims, name) ?? name.split('/').reduce<unknown>(own, claims)
  return [found].flat().flatMap((value) => {
    const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    const text = isPlain ? String(value) : ''
    return text && text.length <= MAX_TEXT ? [text] : []
  })
}

/**
 * `*` is any text within one part, as `repo:octo/*` must not mean another place further down; `**`
 * is any text. Compared part by part, so that no pattern takes long.
 */
export function fits(pattern: string, text: string): boolean {
  const tokens = pattern.split(/(\*\*|\*)/).filter(Boolean)
  // Places in the text that are reached by the tokens so far.
  let reached = new Set([0])
  for (const token of tokens) {
    const next = new Set<number>()
    if (token === '*' || token === '**') {
      let isOpen = false
      for (let at = 0; at <= text.length; at++) {
        if (reached.has(at)) isOpen = true
        if (isOpen) next.add(at)
        if (token === '*' && /[/:]/.test(text[at] ?? '')) isOpen = false
      }
    } else for (const at of reached) if (text.startsWith(token, at)) next.add(at + token.length)
    reached = next
    if (!reached.size) return false
  }
  return reached.has(text.length)
}
