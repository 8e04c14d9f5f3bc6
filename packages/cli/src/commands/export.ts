import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AS_CODE, type AsCodeExport } from '@sallyport/contract/as-code.ts'
import { stringify } from 'yaml'
import { type Command, textOf } from '../command.ts'

const PATIENCE_MS = 10 * 60_000

export const exportCommand: Command = {
  does: 'write the organization as files of YAML, for apply',
  usage: '[-o FOLDER] [--kinds assets,nodes]',
  options: {
    output: { type: 'string', short: 'o', does: 'a folder, with a file for each kind' },
    kinds: { type: 'string', does: 'some kinds alone, with commas between' },
  },
  async run(context, given) {
    const { say } = context
    const all = await context
      .client()
      .get<AsCodeExport>(AS_CODE.export, { query: { kinds: textOf(given, 'kinds') }, timeout: PATIENCE_MS })
    const folder = textOf(given, 'output')
    if (folder === undefined) {
      context.answer(all, () => inYaml(Object.fromEntries(Object.entries(all).filter(([, rows]) => rows.length))))
      return undefined
    }
    mkdirSync(folder, { recursive: true })
    const written: string[] = []
    for (const [kind, rows] of Object.entries(all)) {
      // Names of files are not for a server to choose.
      if (!/^\w+$/.test(kind)) continue
      const file = join(folder, `${kind}.yaml`)
      // A file of before says that there are some.
      if (!rows.length && !existsSync(file)) continue
      writeFileSync(file, inYaml({ [kind]: rows }))
      written.push(file)
    }
    context.answer({ files: written }, () => say('{{count}} files in {{folder}}', { count: written.length, folder }))
    return undefined
  },
}

const inYaml = (rows: AsCodeExport) => stringify(rows, { lineWidth: 0, aliasDuplicateObjects: false })
