import type { OperateLog, OperateLogChange } from '@sallyport/contract/resources/audits/operate-log.ts'
import { Undo2Icon } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../../design/Button.tsx'
import { ValuesTable } from '../../generic/cells/ValuesTable.tsx'
import { CopyText } from '../../generic/detail/CopyText.tsx'
import { Moment } from '../../generic/detail/Moment.tsx'
import { Name, Sentence } from '../../generic/detail/Sentence.tsx'
import { askUndo } from '../../generic/undo/ask-undo.ts'
import { t } from '../../lib/i18n.ts'
import styles from '../lists.module.css'
import { EventCell, EventFacts, PersonName } from './EventCell.tsx'
import { changesInWords, eventWords, objectAddress, resourceInFull } from './event-words.ts'
import { SignInOf } from './SignInOf.tsx'

/** What somebody did to what, and every field before and after. */
export function OperationEvent({ row }: { row: OperateLog }) {
  const { text, who, kind, what, other } = eventWords(row)
  const changes = changesInWords(row)
  return (
    <EventCell title={<EventTitle row={row} />} detail={() => <EventDetail row={row} />}>
      <Sentence text={text} parts={{ who: <b>{who}</b>, kind, what: <b>{what}</b>, other: <b>{other}</b> }} />
      {changes && <span className="quiet">{t(': {{changes}}', { changes })}</span>}
    </EventCell>
  )
}

function EventTitle({ row }: { row: OperateLog }) {
  const { text, ...names } = eventWords(row)
  return <Sentence text={text} parts={names} />
}

/** Person, time, address and program; the object; and every field before and after. */
function EventDetail({ row }: { row: OperateLog }) {
  const changes = row.changes as OperateLogChange[] | null
  return (
    <>
      <EventFacts facts={factsOf(row)} />
      {changes && changes.length > 0 ? (
        <ChangesTable changes={changes} action={row.action} />
      ) : (
        row.action === 'update' && (
          <p className="quiet">{changes ? t('No changes.') : t('Changes weren’t recorded at that time.')}</p>
        )
      )}
      <UndoOf row={row} />
    </>
  )
}

/** Takes the change back, after a look at what that does; or says that it was. */
function UndoOf({ row }: { row: OperateLog }) {
  if (row.undo_state === 'done') return <p className="quiet">{t('This change has been undone.')}</p>
  if (row.undo_state !== 'open') return null
  return (
    <div>
      <Button icon={<Undo2Icon />} onClick={() => void askUndo({ id: row.id, whole: row.change_id })}>
        {t('Undo')}
      </Button>
    </div>
  )
}

function factsOf(row: OperateLog): [field: string, label: string, content: ReactNode][] {
  return [
    ['datetime', t('When'), <Moment key="datetime" value={row.datetime} />],
    ['user', t('Who@@event'), <PersonName key="user" text={row.user} id={row.user_id} />],
    ['remote_addr', t('From@@event'), row.remote_addr],
    ['sign_in_id', t('Signed in'), row.sign_in_id && <SignInOf key="sign_in_id" id={row.sign_in_id} />],
    [
      'resource',
      row.resource_type_display,
      <Name key="resource" thing={{ words: resourceInFull(row), address: objectAddress(row) }} />,
    ],
    ['object_id', t('ID'), row.object_id && <CopyText text={row.object_id} label={t('ID')} />],
  ]
}

/** Field, before, after; of a new object only what was set, of one that is gone only what it had. */
function ChangesTable({ changes, action }: { changes: readonly OperateLogChange[]; action: OperateLog['action'] }) {
  const columns = [
    ...(action === 'create'
      ? []
      : [{ side: 'before', title: action === 'delete' ? t('Value') : t('Before') } as const]),
    ...(action === 'delete' ? [] : [{ side: 'after', title: action === 'create' ? t('Value') : t('After') } as const]),
  ]
  return (
    <ValuesTable titles={[t('Field'), ...columns.map(({ title }) => title)]}>
      {changes.map((change) => (
        <tr key={change.field}>
          <th scope="row">{change.label}</th>
          {columns.map(({ side }) => (
            <td key={side} className={columns.length > 1 && side === 'before' ? styles.before : undefined}>
              {shownValue(change, side, columns.length > 1)}
            </td>
          ))}
        </tr>
      ))}
    </ValuesTable>
  )
}

/** The value, or the names that came or went. */
function shownValue(change: OperateLogChange, at: 'before' | 'after', isChanged: boolean): ReactNode {
  if (change.is_secret)
    return at === 'after' && isChanged ? t('replaced@@secret') : <span className="quiet">{t('secret, not kept')}</span>
  const value = change[at]
  if (change.added_amount || change.removed_amount) {
    const side = at === 'after' ? 'added' : 'removed'
    const amount = change[`${side}_amount`]
    const rest = amount - change[side].length
    if (!amount) return <span className="quiet">–</span>
    const sign = isChanged ? (at === 'after' ? '+ ' : '− ') : ''
    return (
      <ul className="plain-list">
        {change[side].map((name) => (
          <li key={name}>
            {sign}
            {name}
          </li>
        ))}
        {rest > 0 && <li className="quiet">{t('{{count}} more', { count: rest })}</li>}
      </ul>
    )
  }
  if (value === null) return <span className="quiet">–</span>
  return (
    <>
      {value}
      {change.is_cut && <span className="quiet"> {t('(shortened)')}</span>}
    </>
  )
}
