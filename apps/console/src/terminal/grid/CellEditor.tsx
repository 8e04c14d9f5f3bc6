import { useEffect, useRef, useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { Checkbox } from '../../design/inputs/Checkbox.tsx'
import { LongInput } from '../../design/inputs/LongInput.tsx'
import { t } from '../../lib/i18n.ts'
import { withLineEnds } from './rows-shown.ts'
import type { PlannedEdit, ValueEdit } from './value-edit.ts'

interface CellEditorProps extends ValueEdit {
  value: string | null
  /** Whether it runs: what becomes of it is said here. */
  onRunning: (isRunning: boolean) => void
  onDone: () => void
  onBack: () => void
}

/** Writes another value, shows the statement that puts it there, and runs that when it is wanted. */
export function CellEditor({ value, plan, run, stop, onRunning, onDone, onBack }: CellEditorProps) {
  const [text, setText] = useState(value ?? '')
  const [isNull, setNull] = useState(value === null)
  const [planned, setPlanned] = useState<PlannedEdit>()
  const [isBusy, setBusy] = useState(false)
  const [isRunning, setRunning] = useState(false)
  const [problem, setProblem] = useState<string>()
  const wanted = isNull ? null : withLineEnds(text, value)
  const statement = useRef<HTMLPreElement>(null)
  // It is read before it is run: a key that is held, or pressed twice, does not go on by itself.
  useEffect(() => {
    if (planned) statement.current?.focus()
  }, [planned])

  const show = async () => {
    setBusy(true)
    setProblem(undefined)
    await plan(wanted).then(setPlanned, (error: Error) => setProblem(error.message))
    setBusy(false)
  }
  const change = async (shown: PlannedEdit) => {
    setRunning(true)
    onRunning(true)
    const { rows, warnings, error } = await run(shown)
    setRunning(false)
    onRunning(false)
    setPlanned(undefined)
    if (error) setProblem(error)
    else if (!rows)
      setProblem(t('Nothing was changed: the row is no longer as shown. Run the statement again to see it.'))
    else if (warnings)
      setProblem(
        t('The database warned, and may have kept another value than this one. Run the statement again to see it.'),
      )
    else onDone()
  }
  return (
    <div className="data-grid-edit">
      {planned ? (
        <>
          <p>{t('This statement is run, judged and kept like any that you write:')}</p>
          <pre className="data-grid-value" ref={statement} tabIndex={-1}>
            {planned.text}
          </pre>
        </>
      ) : (
        <>
          <LongInput
            autoFocus
            rows={2}
            aria-label={t('New value')}
            isCode
            disabled={isNull}
            value={isNull ? '' : text}
            onChange={setText}
          />
          <Checkbox checked={isNull} onChange={setNull}>
            NULL
          </Checkbox>
        </>
      )}
      {problem && (
        <p className="tool-pane-error" role="alert">
          {problem}
        </p>
      )}
      <div className="data-grid-edit-bar">
        {isRunning ? (
          <Button onClick={stop}>{t('Stop')}</Button>
        ) : (
          <Button disabled={isBusy} onClick={() => (planned ? setPlanned(undefined) : onBack())}>
            {t('Back')}
          </Button>
        )}
        {planned ? (
          <Button
            // The second click of a double click would meet it where the other button was.
            key="run"
            type="primary"
            loading={isRunning}
            onClick={({ detail }) => detail < 2 && void change(planned)}
          >
            {t('Run@@action')}
          </Button>
        ) : (
          <Button type="primary" loading={isBusy} disabled={wanted === value} onClick={() => void show()}>
            {t('Show the statement')}
          </Button>
        )}
      </div>
    </div>
  )
}
