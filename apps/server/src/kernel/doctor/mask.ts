/** Names of settings, variables and fields whose values are secret. */
const SECRET_NAME = /key|secret|token|passw|passphrase|credential|license|cookie|authorization/i
/** A shorter one would be found in words that mean something else. */
const LEAST_LENGTH = 4
const HIDDEN = '***'

/** Whether what has this name is not to be shown. */
export const isSecretName = (name: string): boolean => SECRET_NAME.test(name)

/** What looks like a secret wherever it stands, with what is left of it. */
const SHAPES: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z0-9 ]+-----[\s\S]*?(?:-----END [A-Z0-9 ]+-----|$)/g, HIDDEN],
  // An address is cut to its server: names, paths and queries may let somebody in.
  [/\b([a-z][a-z0-9+.-]*:\/\/)(?:[^\s"'<>@/]*@)?([^\s"'<>/?#]*)[^\s"'<>]*/gi, '$1$2'],
  [/\b(Bearer|Basic|Token)\s+[\w.~+/=-]{8,}/gi, `$1 ${HIDDEN}`],
  // `password=x`, `"token": "x"`, `secret: x`
  [
    /(["']?\b[\w.-]*(?:passw\w*|secret|token|passphrase|(?:api|private|access)[_-]?key|cookie|authorization)[\w.-]*["']?\s*[:=]\s*)("(?:[^"\\]|\\.)*"|'[^']*'|[^\s,;}&]+)/gi,
    `$1${HIDDEN}`,
  ],
]

/**
 * A function that takes secrets out of a text: those given, in each form that they may have there, and
 * whatever looks like one.
 */
export function maskWith(secrets: Iterable<string>): (text: string) => string {
  const forms = new Set([...secrets].flatMap(formsOf).filter(({ length }) => length >= LEAST_LENGTH))
  const known = [...forms].sort((one, other) => other.length - one.length)
  return (text) => {
    let masked = text
    for (const secret of known) masked = masked.replaceAll(secret, HIDDEN)
    for (const [shape, rest] of SHAPES) masked = masked.replace(shape, rest)
    return masked
  }
}

/** As it is, in JSON, in an address, and in base64 as headers have it. */
function formsOf(secret: string): string[] {
  const lines = secret.split('\n').map((line) => line.trim())
  return [secret, ...lines]
    .filter(Boolean)
    .flatMap((one) => [
      one,
      JSON.stringify(one).slice(1, -1),
      encodeURIComponent(one),
      Buffer.from(one).toString('base64'),
    ])
}
