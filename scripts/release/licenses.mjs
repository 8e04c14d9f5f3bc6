/** Licenses of what an archive brings: that we may give it on, and their texts. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { TEXTS, USES } from './components.mjs'

/**
 * What may be one program with code under the GNU GPL, version 2 or later. Apache-2.0 asks for
 * version 3, which "or later" allows. (gnu.org/licenses/license-list.html)
 */
const COMPATIBLE = new Set([
  'MIT',
  'MIT-0',
  'ISC',
  '0BSD',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'MPL-2.0',
  'Python-2.0',
  'Unlicense',
  'Zlib',
  // Of fonts, which are files beside the code: it asks only to go with a program (OFL 1.1, §1).
  'OFL-1.1',
])

/** What may stand beside it, as a program of its own. */
const BESIDE = new Set([
  ...COMPATIBLE,
  'PostgreSQL',
  'OpenSSL',
  'Unicode-3.0',
  'LicenseRef-public-domain',
  'GPL-3.0-or-later WITH GCC-exception-3.1',
])

/** Those of these components that we may not give on, or whose license nobody has named. */
export function refusedLicenses(components) {
  return components
    .filter(({ license, use }) => !mayBeUsed(license, use === 'beside' ? BESIDE : COMPATIBLE))
    .map(({ name, version, license }) => `${name} ${version}: ${license ?? 'no license named'}`)
}

/** One of those that are offered, each of those that all hold. */
function mayBeUsed(license, allowed) {
  if (!license) return false
  if (allowed.has(license)) return true
  const words = license.replace(/^\((.*)\)$/, '$1')
  if (words.includes(' OR ')) return words.split(' OR ').some((one) => mayBeUsed(one, allowed))
  return words.includes(' AND ') && words.split(' AND ').every((one) => mayBeUsed(one, allowed))
}

/**
 * A page of text: what is in it, and the text of each license once, with those it is of.
 */
export function licenseTexts(components) {
  const byText = new Map()
  for (const component of components) {
    const text = component.texts.map((file) => readFileSync(file, 'utf8').trim()).join('\n\n')
    const own = text || withoutText(component)
    byText.set(own, [...(byText.get(own) ?? []), component])
  }
  const list = components.map(({ name, version, license, use }) =>
    [`${name} ${version ?? ''}`.trim(), license, USES[use]].join(' · '),
  )
  const sections = [...byText].map(
    ([text, ones]) =>
      `${LINE}\n${ones.map(({ name, version }) => `${name} ${version ?? ''}`.trim()).join('\n')}\n\n${text}\n`,
  )
  return `${HEAD}\n${list.join('\n')}\n\n${sections.join('\n')}`
}

const LINE = '='.repeat(100)
const HEAD = `Sallyport is free software under the GNU General Public License, version 2 or later (LICENSE).
Combined with packages under Apache-2.0 it is given on under version 3. These parts of other people
are in this archive, each under its own license:
`

/**
 * What stands for a package without a file with its license: the standard text, after its author.
 * Throws where there is none in `licenses/`.
 */
function withoutText({ name, author, license }) {
  const file = join(TEXTS, `${license}.txt`)
  if (!existsSync(file)) throw new Error(`${name} has no text of its license, and ${file} is not there`)
  return `Copyright (c) ${author ?? `the authors of ${name}`} (${license})\n\n${readFileSync(file, 'utf8').trim()}`
}
