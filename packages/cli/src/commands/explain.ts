import { ApiError } from '@sallyport/client'
import type { OwnExplanation } from '@sallyport/contract/resources/perms/own-explanation.ts'
import { type Command, textOf } from '../command.ts'
import { EXIT, Failure } from '../exit.ts'
import { type Account, findApplication, findMachine, splitTarget } from '../targets.ts'

export const explain: Command = {
  does: 'say whether a session would open now, and why not',
  usage: '[ACCOUNT@]TARGET [--database] [--action NAME]',
  options: {
    database: { type: 'boolean', short: 'd', does: 'the target is a database' },
    action: { type: 'string', does: 'connect (without this option), upload_file or download_file' },
  },
  completes: 'machines',
  async run(context, given) {
    const { say } = context
    const [word] = given.words
    if (!word) throw new Failure('usage', say('Name a machine; sallyport ls lists yours'))
    const { account, target } = splitTarget(word)
    const client = context.client()
    const family = given.values.database ? 'applications' : 'assets'
    const { id } = given.values.database
      ? await findApplication(client, say, target)
      : (await findMachine(client, say, target)).row
    const system_user_id = account && (await accountId(`/api/v1/perms/users/${family}/${id}/system-users/`, account))
    const answer = await client.get<OwnExplanation>('/api/v1/perms/users/explanation/', {
      query: {
        [given.values.database ? 'application_id' : 'asset_id']: id,
        system_user_id,
        action: textOf(given, 'action'),
      },
    })
    context.answer(answer, () => {
      const verdict = {
        allowed: say('A session would open now'),
        confirm: say('A session would open once somebody has confirmed it'),
        refused: say('A session would be refused'),
      }[answer.verdict]
      const help = answer.wants_permission ? [say('You can ask for it: sallyport request {{word}}', { word })] : []
      return [verdict, ...answer.reasons.map(({ text }) => `- ${text}`), ...help].join('\n')
    })
    return answer.verdict === 'refused' ? EXIT.refused : EXIT.done

    async function accountId(path: string, wanted: string): Promise<string> {
      const rows = await client.get<Account[]>(path).catch((error: unknown) => {
        if (error instanceof ApiError && error.status === 404) return []
        throw error
      })
      const row = rows.find((one) => [one.id, one.username, one.name].includes(wanted))
      if (!row) throw new Failure('notFound', say('You may use nothing that is called {{name}}', { name: wanted }))
      return row.id
    }
  },
}
