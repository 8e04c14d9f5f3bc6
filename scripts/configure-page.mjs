/**
 * Writes the tables of docs/configure.md anew, from apps/server/src/config-settings.ts and the settings in
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

/** The page with its tables as they must be; everything around them stays. */
export function configurePage(page) {
  const rows = Object.entries(SETTINGS).map(
    ([name, { standard, shape, meaning }]) =>
      `| \`${name}\` | ${standard ? `\`${standard}\`` : ''} | ${capital(shape)} | ${meaning} |`,
  )
  const settings = Object.entries(ALL_SETTINGS).map(
    ([name, field]) =>
      `| \`${SETTING_PREFIX}${name}\` | ${standardOf(field)} | ${shapeOf(field)} | ${meaningOf(field)} |`,
  )
  return withTable(withTable(page, START, rows), CONSOLE, settings)
}

function withTable(page, [begin, end], rows) {
  const table = ['| Setting | Default | Value | Meaning |', '|---|---|---|---|', ...rows].join('\n')
  return page.replace(page.slice(page.indexOf(begin), page.indexOf(end)), () => `${begin}\n${table}\n`)
}

function standardOf({ default: value, type }) {
  const isEmpty = value === '' || value === null || (typeof value === 'object' && Object.keys(value).length === 0)
  return isEmpty ? '' : `\`${type === 'object' ? JSON.stringify(value) : value}\``
}

/** What a value must be, in words. */
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
  return (helpText ? `${label}. ${helpText}` : label).replaceAll('|', '\\|')
}

function capital(sentence) {
  return sentence[0].toUpperCase() + sentence.slice(1)
}

if (import.meta.main) writeFileSync(PAGE, configurePage(readFileSync(PAGE, 'utf8')))
