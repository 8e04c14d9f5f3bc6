/** Texts that YAML would not read as texts, or would change, are quoted. */
const PLAIN = /^(?![-?:,[\]{}#&*!|>'"%@`\s])(?!.*(?:: |\s#))[^\n\r\t]*[^\s:]$/
const NOT_TEXT = /^(?:~|null|true|false|yes|no|on|off|y|n|[-+.]?\d.*|\.(?:inf|nan))$/i

/** A value of JSON as `kubectl -o yaml` writes it (https://yaml.org/spec/1.2.2). */
export function yamlLines(value: unknown, indent = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((one) => underDash(one, indent))
  if (isObject(value))
    return Object.entries(value).flatMap(([key, one]) => {
      const name = `${indent}${scalar(key)}:`
      if (typeof one === 'string' && one.includes('\n')) return [`${name} ${chomp(one)}`, ...block(one, `${indent}  `)]
      if (isEmpty(one) || !isNested(one)) return [`${name} ${scalar(one)}`]
      return [name, ...yamlLines(one, Array.isArray(one) ? indent : `${indent}  `)]
    })
  return [`${indent}${scalar(value)}`]
}

function underDash(value: unknown, indent: string): string[] {
  if (!isNested(value) || isEmpty(value)) return [`${indent}- ${scalar(value)}`]
  const [first = '', ...rest] = yamlLines(value, `${indent}  `)
  return [`${indent}- ${first.slice(indent.length + 2)}`, ...rest]
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
const isNested = isObject
const isEmpty = (value: unknown) => isObject(value) && !Object.keys(value).length
const chomp = (text: string) => (text.endsWith('\n') ? '|' : '|-')
const block = (text: string, indent: string) =>
  text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => indent + line)

function scalar(value: unknown): string {
  if (Array.isArray(value)) return '[]'
  if (isObject(value)) return '{}'
  if (typeof value !== 'string') return String(value)
  return PLAIN.test(value) && !NOT_TEXT.test(value) ? value : JSON.stringify(value)
}
