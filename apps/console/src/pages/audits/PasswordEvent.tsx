import type { PasswordChangeLog } from '@sallyport/contract/resources/audits/password-change-log.ts'
import { Moment } from '../../generic/detail/Moment.tsx'
import { Sentence } from '../../generic/detail/Sentence.tsx'
import { t } from '../../lib/i18n.ts'
import { nameOf } from '../../lib/name-of.ts'
import { EventCell, EventFacts, PersonName } from './EventCell.tsx'
import { SignInOf } from './SignInOf.tsx'

/** The change of a password: its owner, and who made it. */
export function PasswordEvent({ row }: { row: PasswordChangeLog }) {
  const text =
    row.user === row.change_by ? t('{{who}} changed their own password') : t('{{who}} reset the password of {{whose}}')
  const [who, whose] = [nameOf(row.change_by), nameOf(row.user)]
  return (
    <EventCell
      title={<Sentence text={text} parts={{ who, whose }} />}
      detail={() => (
        <EventFacts
          facts={[
            ['datetime', t('When'), <Moment key="datetime" value={row.datetime} />],
            ['user', t('Account@@owner'), <PersonName key="user" text={row.user} id={row.user_id} />],
            ['change_by', t('Changed by'), <PersonName key="by" text={row.change_by} id={row.change_by_id} />],
            ['remote_addr', t('From@@event'), row.remote_addr],
            ['sign_in_id', t('Signed in'), row.sign_in_id && <SignInOf id={row.sign_in_id} />],
          ]}
        />
      )}
    >
      <Sentence text={text} parts={{ who: <b>{who}</b>, whose: <b>{whose}</b> }} />
    </EventCell>
  )
}
