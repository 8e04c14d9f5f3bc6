import type { OperateLogChange } from '@sallyport/contract/resources/audits/operate-log.ts'
import {
  UNDO_PATH,
  type UndoAnswer,
  type UndoConflict,
  type UndoneObject,
} from '@sallyport/contract/resources/audits/undo.ts'
import { type ReactNode, useEffect, useState } from 'react'
import { DialogButtons } from '../../design/dialogs/DialogButtons.tsx'
import { Skeleton } from '../../design/Skeleton.tsx'
import { api, errorText } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { ValuesTable } from '../cells/ValuesTable.tsx'
import { sendUndo } from './send-undo.ts'
import styles from './undo.module.css'

interface UndoDialogProps {
  /** The id of a row of the operation log, or of a change. */
  id: string
  /** The change of several objects that it is part of. */
  whole?: string | null | undefined
  onClose: () => void
}

/** Shows the effects of taking a change back; fields that have changed since stand side by side. */
export function UndoDialog({ id, whole, onClose }: UndoDialogProps) {
  const [chosen, setChosen] = useState(id)
  const [answer, setAnswer] = useState<UndoAnswer>()
  const [failure, setFailure] = useState('')
  const [keep, setKeep] = useState<ReadonlySet<string>>(new Set())
  const [isPending, setPending] = useState(false)
  useEffect(() => {
    const control = new AbortController()
    setAnswer(undefined)
    setFailure('')
    api
      .get<UndoAnswer>(`${UNDO_PATH}${encodeURIComponent(chosen)}/`, { quiet: true, signal: control.signal })
      .then(setAnswer, (error: unknown) => {
        if (!control.signal.aborted) setFailure(errorText(error))
      })
    return () => control.abort()
  }, [chosen])
  const go = async () => {
    setPending(true)
    try {
      await sendUndo(chosen, { force: true, keep: [...keep] })
      onClose()
    } catch (error) {
      setFailure(errorText(error))
      setPending(false)
    }
  }
  const toggle = (field: string) =>
    setKeep((now) => (now.has(field) ? new Set([...now].filter((one) => one !== field)) : new Set([...now, field])))
  return (
    <div className={styles.undo}>
      {whole && (
        <fieldset className={styles.scope}>
          <legend className="quiet">{t('Several objects were changed together.')}</legend>
          <Choice name="scope" isChosen={chosen === id} onChoose={() => setChosen(id)}>
            {t('Undo this one alone')}
          </Choice>
          <Choice name="scope" isChosen={chosen === whole} onChoose={() => setChosen(whole)}>
            {t('Undo all of them')}
          </Choice>
        </fieldset>
      )}
      <div aria-live="polite" className={styles.effects}>
        {!answer && !failure && <Skeleton lines={4} />}
        {failure && <p role="alert">{failure}</p>}
        {answer?.reason && <p>{answer.reason}</p>}
        {answer?.is_possible && <Effects answer={answer} keep={keep} onToggle={toggle} />}
      </div>
      <div className={styles.buttons}>
        <DialogButtons
          okText={t('Undo')}
          onOk={() => void go()}
          onCancel={onClose}
          isPending={isPending}
          isDisabled={!answer?.is_possible}
          isDanger={answer?.objects.some(({ action }) => action === 'delete') ?? false}
        />
      </div>
    </div>
  )
}

interface ChoiceProps {
  name: string
  isChosen: boolean
  onChoose: () => void
  children: ReactNode
}

function Choice({ name, isChosen, onChoose, children }: ChoiceProps) {
  return (
    <label>
      <input type="radio" name={name} checked={isChosen} onChange={onChoose} /> {children}
    </label>
  )
}

interface EffectsProps {
  answer: UndoAnswer
  keep: ReadonlySet<string>
  onToggle: (field: string) => void
}

function Effects({ answer: { objects, total }, keep, onToggle }: EffectsProps) {
  return (
    <>
      {objects.map((object) => (
        <section key={`${object.object_type} ${object.object_id}`}>
          <h3 className={styles.object}>{effectInWords(object)}</h3>
          <Conflicts object={object} keep={keep} onToggle={onToggle} />
          <Changes
            changes={object.changes.filter(({ field }) => !object.conflicts.some((one) => one.field === field))}
            action={object.action}
          />
          {object.notes.map((note) => (
            <p key={note}>{note}</p>
          ))}
        </section>
      ))}
      {total > objects.length && <p>{t('and {{count}} more', { count: total - objects.length })}</p>}
    </>
  )
}

function effectInWords({ action, resource_type: kind, resource: name }: UndoneObject): string {
  if (action === 'create') return t('{{kind}} {{name}} comes back', { kind, name })
  if (action === 'delete') return t('{{kind}} {{name}} is deleted', { kind, name })
  return t('{{kind}} {{name}} becomes as it was', { kind, name })
}

/** Fields that have changed since: what they were, became and are, and what is to be done. */
function Conflicts({ object, keep, onToggle }: { object: UndoneObject } & Omit<EffectsProps, 'answer'>) {
  if (object.conflicts.length === 0) return null
  if (object.action === 'delete')
    return <p>{t('Changed since: {{fields}}', { fields: object.conflicts.map(({ label }) => label).join(', ') })}</p>
  return (
    <ValuesTable
      className={styles.sides}
      caption={t('Changed since by a later change:')}
      titles={[t('Field'), t('Before'), t('After'), t('Now@@value'), t('Your choice')]}
    >
      {object.conflicts.map((conflict) => (
        <Sides key={conflict.field} {...{ object, conflict, keep, onToggle }} />
      ))}
    </ValuesTable>
  )
}

function Sides(props: { object: UndoneObject; conflict: UndoConflict } & Omit<EffectsProps, 'answer'>) {
  const { object, conflict, keep, onToggle } = props
  const { field, label, before, after, now } = conflict
  const name = `${object.object_id} ${field}`
  const isKept = keep.has(field)
  return (
    <tr>
      <th scope="row">{label}</th>
      {[before, after, now].map((value, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: three sides, in this order
        <td key={at}>{value ?? <span className="quiet">–</span>}</td>
      ))}
      <td>
        <Choice name={name} isChosen={!isKept} onChoose={() => isKept && onToggle(field)}>
          {t('Put back')}
        </Choice>
        <Choice name={name} isChosen={isKept} onChoose={() => isKept || onToggle(field)}>
          {t('Leave as it is')}
        </Choice>
      </td>
    </tr>
  )
}

function Changes({ changes, action }: { changes: readonly OperateLogChange[]; action: UndoneObject['action'] }) {
  if (action !== 'update' || changes.length === 0) return null
  return (
    <ValuesTable titles={[t('Field'), t('Now@@value'), t('After the undo')]}>
      {changes.map((change) => (
        <tr key={change.field}>
          <th scope="row">{change.label}</th>
          <td>{change.is_secret ? <Secret /> : inWords(change.before, '−', change.removed)}</td>
          <td>{change.is_secret ? <Secret /> : inWords(change.after, '+', change.added)}</td>
        </tr>
      ))}
    </ValuesTable>
  )
}

const Secret = () => <span className="quiet">{t('secret, not shown')}</span>

function inWords(value: string | null, sign: string, names: readonly string[]): ReactNode {
  if (names.length) return names.map((name) => <div key={name}>{`${sign} ${name}`}</div>)
  return value ?? <span className="quiet">–</span>
}
