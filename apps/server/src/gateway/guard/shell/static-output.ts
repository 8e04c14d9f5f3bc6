/**
 * What a program prints when its arguments and its input alone decide it, as programs are used to
 * spell a command in a roundabout way; undefined for all others.
 */
export function staticOutput(argv: readonly string[], input: string | undefined): string | undefined {
  const [path = '', ...words] = argv
  const name = path.slice(path.lastIndexOf('/') + 1)
  if (name === 'echo') return echoed(words)
  if (name === 'printf') return printed(words)
  if (input === undefined) return undefined
  if (name === 'cat' && !words.length) return input
  if (name === 'rev' && !words.length)
    return input
      .split('\n')
      .map((line) => [...line].reverse().join(''))
      .join('\n')
  const isDecoding = words.some((word) => /^(-[a-z]*[dD]|--decode)$/.test(word))
  if (name === 'base64' && isDecoding) return Buffer.from(input, 'base64').toString()
  if (name === 'xxd' && words.includes('-r')) return Buffer.from(input.replace(/\s/g, ''), 'hex').toString()
  return undefined
}

function echoed(words: readonly string[]): string {
  const options = words.findIndex((word) => !/^-[neE]+$/.test(word))
  const [flags, texts] = options < 0 ? [words, []] : [words.slice(0, options), words.slice(options)]
  const text = texts.join(' ')
  return flags.some((flag) => flag.includes('e')) ? unescaped(text) : text
}

function printed([format = '', ...values]: readonly string[]): string {
  const rest = [...values]
  const once = () =>
    unescaped(format).replace(/%(?:%|-?\d*([sbcdq]))/g, (place) => (place === '%%' ? '%' : (rest.shift() ?? '')))
  let text = once()
  for (let more = 0; rest.length && more < values.length; more++) text += once()
  return text
}

const NAMED: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', a: '', b: '', e: '', f: '', v: '' }

function unescaped(text: string): string {
  return text.replace(
    /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|0?([0-7]{1,3})|(.))/g,
    (whole, hex?: string, unicode?: string, octal?: string, other = '') => {
      if (hex ?? unicode) return String.fromCharCode(Number.parseInt((hex ?? unicode) as string, 16))
      if (octal) return String.fromCharCode(Number.parseInt(octal, 8))
      return NAMED[other] ?? (other === '\\' ? '\\' : whole)
    },
  )
}
