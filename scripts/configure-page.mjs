/**
 * Writes the lists of docs/configure.md from apps/server/src/config-settings.ts and the settings in
 * packages/contract/src/settings/: `node_modules/.bin/node scripts/configure-page.mjs`.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { SETTINGS } from '../apps/server/src/config-settings.ts'
import { SETTING_PREFIX } from '../apps/server/src/environment-settings.ts'
import { ALL_SETTINGS } from '../packages/contract/src/settings/index.ts'

export const PAGE = new URL('../docs/configure.md', import.meta.url)
const START = ['<!-- settings: made by scripts/configure-page.mjs -->', '<!-- end of settings -->']
const CONSOLE = [
  '<!-- settings of the console: made by scripts/configure-page.mjs -->',
  '<!-- end of settings of the console -->',
]

/** Headings of the settings that are read at start, each with the first setting below it. */
const SECTIONS = {
  SALLYPORT_HOST: 'Addresses',
  SALLYPORT_HTTPS: 'HTTPS',
  SALLYPORT_SSH_PORT: 'SSH and nodes',
  SALLYPORT_DATA_DIR: 'Data, keys and licenses',
  SALLYPORT_LANGUAGE: 'Operation',
  SALLYPORT_REQUESTS_PER_PERSON: 'Limits of requests and connections',
  SALLYPORT_POSTGRESQL_PORT: 'Ports for clients of databases, Kubernetes and desktops',
  SALLYPORT_SFTP_SHOW_HIDDEN_FILE: 'Files',
  SALLYPORT_RECORDINGS: 'Recordings',
  SALLYPORT_BACKUP: 'Backups',
  SALLYPORT_SMS_ALIBABA_URL: 'Text messages and clouds',
}
const WIDTH = 100

/** The page with its lists as they must be; everything around them stays. */
export function configurePage(page) {
  const settings = Object.entries(SETTINGS).flatMap(([name, { standard, shape, meaning }]) => [
    ...(SECTIONS[name] ? ['', `### ${SECTIONS[name]}`, ''] : []),
    entry(name, standard && `\`${standard}\``, capital(shape), meaning),
  ])
  const settingsOfConsole = Object.entries(ALL_SETTINGS).map(([name, field]) =>
    entry(`${SETTING_PREFIX}${name}`, standardOf(field), shapeOf(field), meaningOf(field)),
  )
  return withList(withList(page, START, settings), CONSOLE, ['', ...settingsOfConsole])
}

function withList(page, [begin, end], lines) {
  return page.replace(page.slice(page.indexOf(begin), page.indexOf(end)), () => `${[begin, ...lines].join('\n')}\n\n`)
}

/** One setting: its name, the form of its value, its default, and its meaning below. */
function entry(name, standard, shape, meaning) {
  const form = `- \`${name}\`: ${shape}.${standard ? ` Default: ${standard}.` : ''}`
  return [...wrapped(form), ...wrapped(`  ${meaning}`)].join('\n')
}

/** A text in lines of at most `WIDTH` columns where its words allow that, as part of a list's item. */
function wrapped(text) {
  const lines = ['']
  for (const word of text.trim().split(' ')) {
    const longer = lines.at(-1) ? `${lines.at(-1)} ${word}` : word
    if (longer.length > WIDTH - 2) lines.push(word)
    else lines[lines.length - 1] = longer
  }
  return lines.map((line) => (line.startsWith('- `') ? line : `  ${line}`))
}

function standardOf({ default: value, type }) {
  const isEmpty = value === '' || value === null || (typeof value === 'object' && Object.keys(value).length === 0)
  return isEmpty ? '' : `\`${type === 'object' ? JSON.stringify(value) : value}\``
}

/** The allowed values, in words. */
function shapeOf({ type, choices, min, max, maxLength }) {
  if (choices) return `One of ${Object.keys(choices).join(', ')}`
  if (type === 'integer')
    return `A whole number${min === undefined ? '' : max === undefined ? ` from ${min}` : ` from ${min} to ${max}`}`
  if (type === 'boolean') return 'True or false'
  if (type === 'strings') return 'A comma list'
  if (type === 'object') return 'A JSON object'
  return `${type === 'url' ? 'An address' : 'Text'}${maxLength ? `, up to ${maxLength} characters` : ''}`
}

function meaningOf({ label, helpText }) {
  const words = helpText ? `${label}. ${helpText}` : label
  return words.endsWith('.') ? words : `${words}.`
}

function capital(sentence) {
  return sentence[0].toUpperCase() + sentence.slice(1)
}

if (import.meta.main) writeFileSync(PAGE, configurePage(readFileSync(PAGE, 'utf8')))
