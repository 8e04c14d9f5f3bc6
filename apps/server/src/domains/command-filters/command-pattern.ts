/**
 * The regular expression of a rule (docs/rules/assets.md#command_filter_rule). For type `regex`, it
 * is the content itself. For type `command`, each line is an alternative: white space matches any
 * amount of white space, and a line of one word matches whole words only.
 */
export function commandPattern(type: string, content: string): string {
  if (type === 'regex') return content
  return content
    .split(/\r?\n/)
    .map((line) => line.trim().replace(/\s+/g, ' '))
    .filter(Boolean)
    .map((line) => {
      const escaped = line.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&').replaceAll(' ', '\\s+')
      if (line.includes(' ')) return escaped
      return `\\b${escaped}${/[a-z]$/i.test(line) ? '\\b' : ''}`
    })
    .join('|')
}
