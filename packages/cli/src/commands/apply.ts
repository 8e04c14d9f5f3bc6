import { ApiError } from '@sallyport/client'
import { AS_CODE, type AsCodeError, type AsCodePlan } from '@sallyport/contract/as-code.ts'
import { CHANGE_HEADER } from '@sallyport/contract/resources/audits/undo.ts'
import { type FileRows, readFiles } from '../as-code/files.ts'
import { withoutSecrets, withSecrets } from '../as-code/secrets.ts'
import { planInWords } from '../as-code/show-plan.ts'
import { ask } from '../ask.ts'
import type { Command, Context, Given } from '../command.ts'
import { EXIT, Failure } from '../exit.ts'
import { clean } from '../table.ts'

const PATIENCE_MS = 10 * 60_000

export const apply: Command = {
  does: 'bring the organization to what files of YAML say',
  usage: '-f FILE|FOLDER … [--plan | --yes] [--prune] [--set-secrets]',
  options: {
    file: { type: 'string', short: 'f', multiple: true, does: 'a file, or a folder with all below it' },
    plan: { type: 'boolean', does: 'say what would change, and change nothing' },
    yes: { type: 'boolean', short: 'y', does: 'change it without a question' },
    prune: { type: 'boolean', does: 'remove what no file names, of the kinds in the files' },
    'set-secrets': { type: 'boolean', does: 'write secrets of what exists, too' },
  },
  async run(context, given) {
    const { say } = context
    const rows = readFiles(context, pathsOf(context, given))
    const client = context.client()
    const documents = withoutSecrets(context, rows)
    const options = { prune: given.values.prune === true, set_secrets: given.values['set-secrets'] === true }
    const plan = await client.post<AsCodePlan>(AS_CODE.plan, { documents, ...options }, { timeout: PATIENCE_MS })
    if (plan.errors.length) refused(context, rows, plan.errors)
    const isPending = plan.changes.length > 0
    const words = () => planInWords(context, plan, process.stdout.isTTY && !context.environment.NO_COLOR)
    if (given.values.plan || !isPending) {
      context.answer(plan, words)
      return given.values.plan && isPending ? EXIT.pending : EXIT.done
    }
    if (!context.json) context.answer(plan, words)
    // A program reads one answer: nobody would have seen the plan that is asked about.
    else if (!given.values.yes) throw new Failure('usage', say('With --json say --plan or --yes'))
    if (!given.values.yes) await confirm(context)
    const sent = await withSecrets(context, rows, documents, plan.wanted_secrets)
    try {
      const answer = await client.open('POST', AS_CODE.apply, {
        body: { documents: sent, ...options, digest: plan.digest },
        timeout: PATIENCE_MS,
      })
      const done = (await answer.json()) as AsCodePlan
      const change = answer.headers.get(CHANGE_HEADER) ?? ''
      if (context.json) context.answer({ ...done, access: plan.access, change }, () => '')
      else context.tell(say('Done, as one change: undo takes it back by {{change}}', { change }))
      return EXIT.done
    } catch (error) {
      const { errors } = ((error as ApiError).body ?? {}) as { errors?: AsCodeError[] }
      if (error instanceof ApiError && errors) refused(context, rows, errors)
      throw error
    }
  },
}

function pathsOf({ say }: Context, { values, words }: Given): string[] {
  const paths = [values.file ?? []].flat().filter((one) => typeof one === 'string')
  if (!paths.length || words.length) throw new Failure('usage', say('Name the files: sallyport apply -f company/'))
  return paths
}

async function confirm({ say }: Context): Promise<void> {
  const answer = await ask(`${say('Apply this? [y/N]')} `)
  if (answer === undefined) throw new Failure('usage', say('Nobody is here to be asked: say --yes'))
  if (!/^(y|yes|是)$/i.test(answer)) throw new Failure('failed', say('Nothing was changed'))
}

/** Tells of each error with its place. @throws Failure */
function refused(context: Context, rows: FileRows, errors: readonly AsCodeError[]): never {
  const placed = errors.map((error) => {
    const row = error.index === null ? undefined : rows.get(error.kind)?.[error.index]
    return { ...error, ...(row ? { file: row.file, line: row.line(error.field) } : {}) }
  })
  if (context.json) context.answer({ errors: placed }, () => '')
  else
    for (const { kind, name, field, message, file, line } of placed)
      context.tell(
        clean(
          `${file === undefined ? '' : `${file}:${line}: `}${[kind, name, field].filter(Boolean).join(' ')}: ${message}`,
        ),
      )
  throw new Failure('failed', context.say('The files have errors: nothing was changed'))
}
