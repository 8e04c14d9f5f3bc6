/** Issues a license (docs/license.md). */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { loadConfig, readConfigFile } from '../config.ts'
import { type Edition, isEdition, issueLicense, PUBLIC_KEY, signingKeyIn } from '../domains/xpack/index.ts'
import { WrongUse } from './wrong-use.ts'

export const USAGE = `sallyport-admin license --corporation "Example Ltd" --days 365 [options]

  --corporation  whom it is for
  --days         how long it holds, from today on
  --edition      community, standard, enterprise (default) or ultimate
  --assets       how many assets it is for; as many as there are when not given
  --keys         folder of the signing key; the data directory when not given. A key is made where there is none
  --output       file to write; license.txt when not given`

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      corporation: { type: 'string' },
      days: { type: 'string' },
      edition: { type: 'string', default: 'enterprise' },
      assets: { type: 'string' },
      keys: { type: 'string' },
      output: { type: 'string', default: 'license.txt' },
    },
  })
  const { corporation, edition, output } = values
  if (!corporation) throw new WrongUse('Say whom the license is for: --corporation')
  const days = wholeNumber('--days', values.days)
  if (days === undefined) throw new WrongUse('Say how long it holds: --days')
  if (!isEdition(edition)) throw new WrongUse('--edition must be community, standard, enterprise or ultimate')
  const keys = values.keys ?? loadConfig(process.env, readConfigFile(process.env)).dataDirectory
  mkdirSync(keys, { recursive: true, mode: 0o700 })
  const assetCount = wholeNumber('--assets', values.assets) ?? null
  const document = issueLicense(signingKeyIn(keys), { corporation, days, edition: edition as Edition, assetCount })
  writeFileSync(output, `${document}\n`)
  console.log(`${output}: a license for ${corporation}, ${days} days.`)
  console.log(`It is checked with ${join(keys, PUBLIC_KEY)}.`)
}

function wholeNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const number = Number(text)
  if (!/^\d+$/.test(text) || number < 1 || number > 1_000_000_000)
    throw new WrongUse(`${name} must be a whole number of 1 or more`)
  return number
}
