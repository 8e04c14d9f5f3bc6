import type { LoginAssetAcl } from '@sallyport/contract/resources/acls/login-asset-acl.ts'
import { type Named, NamesInWords, Sentence } from '../../generic/detail/Sentence.tsx'
import { nameOfRow, useStoredRows } from '../../generic/rows/stored-rows.ts'
import type { DetailProps } from '../../generic/view/detail-view.ts'
import { REFERENCES } from '../../generic/view/references.ts'
import { t } from '../../lib/i18n.ts'
import { addressOf } from '../../navigation/routes.ts'
import { RuleGraph } from '../RuleGraph.tsx'

type Group = Readonly<Record<string, readonly string[] | undefined>>

/** The names in a group's patterns; nothing for those that take everything. */
function patterns(group: unknown, ...names: string[]): Named[] {
  return names
    .flatMap((name) => ((group as Group | null)?.[name] ?? []).filter((one) => one !== '*'))
    .map((words) => ({ words }))
}

/** People by their ids, named by one call. */
function usePeople(ids: readonly string[]): Named[] {
  const { path, display } = REFERENCES.user as { path: string; display: string }
  const { named } = useStoredRows(path, ids)
  return ids.map((id) => {
    const row = named.get(id)
    return { words: row ? nameOfRow(display, row) : '…', address: addressOf('UserDetail', { id }) }
  })
}

/** A rule about signing in to machines, in a sentence and as the way from who to whose word. */
export function AssetRuleSummary({ row }: DetailProps<LoginAssetAcl>) {
  const reviewers = usePeople((row.reviewers ?? []) as string[])
  const who = patterns(row.users, 'username_group')
  const what = patterns(row.assets, 'hostname_group', 'ip_group')
  const whom = patterns(row.system_users, 'name_group', 'username_group', 'protocol_group')
  const [anybody, anything, any] = [t('anybody'), t('any asset'), t('any system user')]
  const words = (things: readonly Named[], all: string) =>
    things.length > 0 ? <NamesInWords things={things} none={all} /> : all
  return (
    <RuleGraph
      label={t('What it asks for')}
      steps={[
        { title: t('Who'), things: who, none: anybody, isOpen: true },
        { title: t('What'), things: what, none: anything, isOpen: true },
        { title: t('Account@@heading'), things: whom, none: any, isOpen: true },
        { title: t('Who must agree'), things: reviewers, none: t('Nobody yet') },
      ]}
    >
      <Sentence
        text={t('When {{who}} signs in to {{what}} as {{whom}}, {{reviewers}} must agree first.')}
        parts={{
          who: words(who, anybody),
          what: words(what, anything),
          whom: words(whom, any),
          reviewers: <NamesInWords things={reviewers} none={t('nobody@@sentence')} />,
        }}
      />
    </RuleGraph>
  )
}
