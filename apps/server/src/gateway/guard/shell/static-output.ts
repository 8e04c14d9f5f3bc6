/**
 * Output of a program when its arguments and its input alone decide it, as programs are used to
 * spell a command in a roundabout way; undefined for all others.
 */
export function staticOutput(argv: readonly string[], input: string | undefined): string | undefined {
  const [path = '', ...words] = argv
  const name = path.slice(path.lastIndexOf('/') + 1)
  if (name === 'echo' || name === 'print') return echoed(words)
  if (name === 'printf') return printed(words)
  if (input === undefined) return undefined
  if ((name === 'cat' || name === 'tee') && !words.some((word) => name === 'cat' && word !== '-')) return input
  if (name === 'rev' && !words.length)
    return input
      .split('\n')
      .map((line) => [...line].reverse().join(''))
      .join('\n')
  const isDecoding = words.some((word) => /^-[a-zA-Z]*[dD]|^--d/.test(word))
  const isBase64 = name === 'base64' || words.some((word) => /^(?:base64|-base64|-a|--base64)$/.test(word))
  if (isBase64 && isDecoding && /^(?:base64|basenc|openssl)$/.test(name)) return Buffer.from(input, 'base64').toString()
  if (name === 'xxd' && words.includes('-r')) return Buffer.from(input.replace(/\s/g, ''), 'hex').toString()
  return undefined
}

function echoed(words: readonly string[]): string {
  const options = words.findIndex((word) => !/^-[neErR]+$|^--?$/.test(word))
  const [flags, texts] = options < 0 ? [words, []] : [words.slice(0, options), words.slice(options)]
  const text = texts.join(' ')
  // Some shells read escapes without being asked to: what they print is another line.
  const escaped = text.includes('\\') ? unescaped(text) : text
  if (flags.some((flag) => flag.includes('e')) || escaped === text) return escaped
  return `${text}\n${escaped}`
}

function printed([format = '', ...values]: readonly string[]): string {
  const rest = [...values]
  const once = () =>
    unescaped(format).replace(/%(?:%|-?\d*(?:\.(\d+))?([sbcdq]))/g, (place, length?: string, kind?: string) => {
      if (place === '%%') return '%'
      const value = rest.shift() ?? ''
      const shown = kind === 'b' ? unescaped(value) : kind === 'c' ? value.slice(0, 1) : value
      return length === undefined ? shown : shown.slice(0, Number(length))
    })
  let text = once()
  for (let more = 0; rest.length && more < values.length; more++) text += once()
  return text
}

const NAMED: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', a: '', b: '', e: '', f: '', v: '' }

/** A text with the escapes of C replaced. */
export function unescaped(text: string): string {
  return text.replace(
    /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|0?([0-7]{1,3})|(.))/g,
    (whole, hex?: string, unicode?: string, long?: string, octal?: string, other = '') => {
      const code = Number.parseInt(hex ?? unicode ?? long ?? '', 16)
      if (code <= 0x10ffff) return String.fromCodePoint(code)
      if (octal) return String.fromCharCode(Number.parseInt(octal, 8))
      return NAMED[other] ?? (other === '\\' ? '\\' : whole)
    },
  )
}
