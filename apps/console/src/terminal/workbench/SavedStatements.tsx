import './saved.css'
import type { SavedStatement } from '@sallyport/contract/resources/applications/saved-statement.ts'
import { BookmarkIcon, Trash2Icon } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { confirmDanger } from '../../design/dialogs/feedback.tsx'
import { Input } from '../../design/inputs/Input.tsx'
import { LoadFailed } from '../../design/LoadFailed.tsx'
import { Popover } from '../../design/popups/Popover.tsx'
import { Skeleton } from '../../design/Skeleton.tsx'
import { api } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'

const PATH = '/api/v1/applications/saved-statements/'

interface SavedStatementsProps {
  application: string
  /** What would be saved. */
  text: () => string
  onChoose: (statement: string) => void
}

/** Statements that the person has saved for this database, on whatever device. A change that fails is said by the client. */
export function SavedStatements({ application, text, onChoose }: SavedStatementsProps) {
  const [isOpen, setOpen] = useState(false)
  const [saved, setSaved] = useState<readonly SavedStatement[]>()
  const [failure, setFailure] = useState<unknown>()
  /** What stood in the editor when this was opened. */
  const [statement, setStatement] = useState('')

  const read = () => {
    setFailure(undefined)
    const path = `${PATH}?application=${encodeURIComponent(application)}`
    return api.get<SavedStatement[]>(path, { quiet: true }).then(setSaved, setFailure)
  }
  const open = (isWanted: boolean) => {
    setOpen(isWanted)
    if (!isWanted) return
    setStatement(text().trim())
    void read()
  }
  const remove = ({ id, name: called }: SavedStatement) => {
    // It would lie above the question.
    setOpen(false)
    confirmDanger({
      title: t('Delete {{name}}?', { name: called }),
      content: t('It cannot be restored.'),
      okText: t('Delete'),
      async onOk() {
        await api.delete(`${PATH}${id}/`, { quiet: true })
        open(true)
      },
    })
  }
  const label = t('Saved statements')
  const content = (
    <div className="wb-saved">
      {failure ? <LoadFailed error={failure} onRetry={() => void read()} /> : !saved && <Skeleton lines={2} />}
      {saved?.length === 0 && <p>{t('Statements saved here are yours alone, for this database.')}</p>}
      <ul className="wb-history">
        {saved?.map((one) => (
          <li key={one.id} className="wb-saved-row">
            <button
              type="button"
              title={one.statement}
              onClick={() => {
                setOpen(false)
                onChoose(one.statement)
              }}
            >
              {one.name}
              <code>{one.statement}</code>
            </button>
            <Button
              type="text"
              size="small"
              icon={<Trash2Icon />}
              aria-label={t('Delete {{name}}', { name: one.name })}
              onClick={() => remove(one)}
            />
          </li>
        ))}
      </ul>
      {statement ? (
        <SaveForm {...{ application, statement, saved }} onSaved={read} />
      ) : (
        <p>{t('Write a statement first, then save it here.')}</p>
      )}
    </div>
  )
  return (
    <Popover
      title={label}
      isOpen={isOpen}
      onOpenChange={open}
      button={<Button size="small" icon={<BookmarkIcon />} aria-label={label} title={label} />}
    >
      {content}
    </Popover>
  )
}

interface SaveFormProps {
  application: string
  statement: string
  saved: readonly SavedStatement[] | undefined
  onSaved: () => Promise<void>
}

/** Saves a statement under a name; a known name gets another statement. */
function SaveForm({ application, statement, saved, onSaved }: SaveFormProps) {
  const [name, setName] = useState('')
  const [isBusy, setBusy] = useState(false)
  const known = saved?.find((one) => one.name === name.trim())
  const save = async () => {
    setBusy(true)
    const draft = { application, name: name.trim(), statement }
    const done = known ? api.patch(`${PATH}${known.id}/`, { statement }) : api.post(PATH, draft)
    await done.then(
      () => setName(''),
      () => {},
    )
    await onSaved()
    setBusy(false)
  }
  return (
    <form
      className="wb-saved-row"
      onSubmit={(event) => {
        event.preventDefault()
        if (!isBusy && name.trim()) void save()
      }}
    >
      <Input isSmall maxLength={128} placeholder={t('Name')} aria-label={t('Name')} value={name} onChange={setName} />
      <Button size="small" type="primary" htmlType="submit" loading={isBusy} disabled={!name.trim()}>
        {known ? t('Replace') : t('Save')}
      </Button>
    </form>
  )
}
