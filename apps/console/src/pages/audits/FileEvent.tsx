import type { FtpLog } from '@sallyport/contract/resources/audits/ftp-log.ts'
import { Moment } from '../../generic/detail/Moment.tsx'
import { Name, Sentence } from '../../generic/detail/Sentence.tsx'
import { t } from '../../lib/i18n.ts'
import { nameOf } from '../../lib/name-of.ts'
import { addressOf } from '../../navigation/routes.ts'
import { EventCell, EventFacts, PersonName } from './EventCell.tsx'
import { SignInOf } from './SignInOf.tsx'

/** What somebody did with which file, where. */
export function FileEvent({ row }: { row: FtpLog }) {
  const text = textOf(row)
  const { was, is } = namesOf(row)
  const names = { who: nameOf(row.user), file: was, other: is, where: nameOf(row.asset) }
  const bold = Object.fromEntries(Object.entries(names).map(([part, name]) => [part, <b key={part}>{name}</b>]))
  return (
    <EventCell title={<Sentence text={text} parts={names} />} detail={() => <FileDetail row={row} />}>
      <Sentence text={text} parts={bold} />
      {!row.is_success && <span className="quiet">{t(': {{changes}}', { changes: t('it failed') })}</span>}
    </EventCell>
  )
}

/** The log has both names of a renamed file: `old=>new`. */
function namesOf({ operate, filename }: FtpLog): { was: string; is: string } {
  const [was = '', is = ''] = operate === 'Rename' || operate === 'Symlink' ? filename.split('=>') : [filename]
  return { was, is }
}

function textOf({ operate }: FtpLog): string {
  switch (operate) {
    case 'Upload':
      return t('{{who}} uploaded {{file}} to {{where}}')
    case 'Download':
      return t('{{who}} downloaded {{file}} from {{where}}')
    case 'Delete':
      return t('{{who}} deleted {{file}} on {{where}}')
    case 'Rmdir':
      return t('{{who}} removed the folder {{file}} on {{where}}')
    case 'Mkdir':
      return t('{{who}} made the folder {{file}} on {{where}}')
    case 'Rename':
      return t('{{who}} renamed {{file}} to {{other}} on {{where}}')
    default:
      return t('{{who}} linked {{other}} to {{file}} on {{where}}')
  }
}

function FileDetail({ row }: { row: FtpLog }) {
  const { was, is } = namesOf(row)
  return (
    <EventFacts
      facts={[
        ['date_start', t('When'), <Moment key="date_start" value={row.date_start} />],
        ['user', t('Who@@event'), <PersonName key="user" text={row.user} id={row.user_id} />],
        ['system_user', t('Account@@heading'), row.system_user],
        [
          'asset',
          t('Where@@event'),
          <Name
            key="asset"
            thing={{
              words: row.asset,
              address: row.asset_id ? addressOf('AssetDetail', { id: row.asset_id }) : undefined,
            }}
          />,
        ],
        ['filename', t('File'), is ? `${was} → ${is}` : was],
        ['result', t('Result'), row.is_success ? t('Done') : t('It failed, or was cut off')],
        ['remote_addr', t('From@@event'), row.remote_addr],
        [
          'session_id',
          t('Recording'),
          row.session_id && (
            <Name
              thing={{
                words: t('The session in which it went through the terminal'),
                address: addressOf('SessionDetail', { id: row.session_id }),
              }}
            />
          ),
        ],
        ['sign_in_id', t('Signed in'), row.sign_in_id && <SignInOf id={row.sign_in_id} />],
      ]}
    />
  )
}
