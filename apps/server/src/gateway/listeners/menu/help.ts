import { type Language, translate } from '../../../kernel/i18n/translate.ts'

const GREEN = '\x1b[32m'
const BOLD = '\x1b[1m'
const RESET = '\x1b[0m'
const CLEAR = '\x1b[2J\x1b[H'

/**
 * The menu's first screen (docs/rules/gateway.md#menu). Name and title are plain
 * text.
 */
export function drawHelp(language: Language, name: string, title: string): string {
  const key = (text: string) => ({ key: `${GREEN}${text}${RESET}` })
  const lines = [
    translate(
      language,
      'Enter {{key}} to search; a single hit is connected to',
      key(translate(language, 'part of IP, hostname or comment')),
    ),
    translate(language, 'Enter {{key}} to search only, such as: /192.168', key(translate(language, '/ + text'))),
    translate(language, 'Enter {{key}} to list your hosts', key('p')),
    translate(language, 'Enter {{key}} to list your nodes', key('g')),
    translate(language, 'Enter {{key}} to list your databases', key('d')),
    translate(language, 'Enter {{key}} to list your Kubernetes clusters', key('k')),
    translate(language, 'Enter {{key}} to refresh your assets and nodes', key('r')),
    translate(language, 'Enter {{key}} to switch the language (中文)', key('s')),
    translate(language, 'Enter {{key}} for help', key('h')),
    translate(language, 'Enter {{key}} to exit (also: exit, quit)', key('q')),
  ]
  const greeting = `${BOLD}${name}${RESET}, ${title || translate(language, 'welcome to Sallyport')}`
  return `${CLEAR}${greeting}\r\n\r\n${lines.map((line, index) => `${`${index + 1}`.padStart(4)}) ${line}\r\n`).join('')}\r\n`
}
