import type { LoginAcl } from '@sallyport/contract/resources/acls/login-acl.ts'
import { Name, NamesInWords, Sentence } from '../../generic/detail/Sentence.tsx'
import type { DetailProps } from '../../generic/view/detail-view.ts'
import { t } from '../../lib/i18n.ts'
import { addressOf } from '../../navigation/routes.ts'
import { RuleGraph } from '../RuleGraph.tsx'

const SENTENCES: Readonly<Record<string, () => string>> = {
  allow: () => t('When {{who}} signs in from {{where}} at the times below, they are let in.'),
  reject: () => t('When {{who}} signs in from {{where}} at the times below, they are turned away.'),
  confirm: () => t('When {{who}} signs in from {{where}} at the times below, {{reviewers}} must agree first.'),
}

/** A rule about signing in, in a sentence and as the way from who to what happens. */
export function LoginRuleSummary({ row }: DetailProps<LoginAcl>) {
  const who = { words: row.user_display ?? '', address: addressOf('UserDetail', { id: row.user }) }
  const { ip_group: addresses } = row.rules as { ip_group: string[] }
  const where = addresses.filter((one) => one !== '*').map((words) => ({ words }))
  const reviewers = row.action === 'confirm' && row.reviewers_display ? [{ words: row.reviewers_display }] : []
  const anywhere = t('anywhere')
  return (
    <RuleGraph
      label={t('What it asks for')}
      steps={[
        { title: t('Who'), things: [who], none: '' },
        { title: t('From where'), things: where, none: anywhere, isOpen: true },
        { title: t('What happens'), things: [{ words: row.action_display ?? '' }], none: '' },
        ...(row.action === 'confirm' ? [{ title: t('Who must agree'), things: reviewers, none: t('Nobody yet') }] : []),
      ]}
    >
      <Sentence
        text={(SENTENCES[row.action] ?? SENTENCES.confirm)?.() ?? ''}
        parts={{
          who: <Name thing={who} />,
          where: where.length > 0 ? <NamesInWords things={where} none={anywhere} /> : anywhere,
          reviewers: <NamesInWords things={reviewers} none={t('nobody@@sentence')} />,
        }}
      />
    </RuleGraph>
  )
}
