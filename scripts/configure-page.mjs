/** Writes docs/configure.md anew from the settings in apps/server/src/config.ts: `node_modules/.bin/node scripts/configure-page.mjs`. */
import { readFileSync, writeFileSync } from 'node:fs'
import { SETTINGS } from '../apps/server/src/config.ts'

export const PAGE = new URL('../docs/configure.md', import.meta.url)
const [BEGIN, END] = ['<!-- settings: made by scripts/configure-page.mjs -->', '<!-- end of settings -->']

/** The page with its table as it must be; everything around the table stays. */
export function configurePage(page) {
  const rows = Object.entries(SETTINGS).map(
    ([name, { standard, shape, meaning }]) => `| \`${name}\` | ${standard ? `\`${standard}\`` : ''} | ${capital(shape)} | ${meaning} |`,
  )
  const table = ['| Setting | Default | Value | Meaning |', '|---|---|---|---|', ...rows].join('\n')
  return page.replace(page.slice(page.indexOf(BEGIN), page.indexOf(END)), () => `${BEGIN}\n${table}\n`)
}

function capital(sentence) {
  return sentence[0].toUpperCase() + sentence.slice(1)
}

if (import.meta.main) writeFileSync(PAGE, configurePage(readFileSync(PAGE, 'utf8')))
