import type { MoveReport, MoveTask } from '@sallyport/contract/resources/moving/jumpserver-move.ts'
import { useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { NativeSelect } from '../../design/boxes/NativeSelect.tsx'
import { confirmDanger, showError } from '../../design/dialogs/feedback.tsx'
import { errorText } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import styles from './moving.module.css'
import { taskWords } from './run-words.ts'
import { beginMove } from './use-move.ts'

/** The way back, for what has come. */
export function TakeBack({ report: { current, installations } }: { report: MoveReport }) {
  const [chosen, setChosen] = useState<string>()
  const installation = installations.find((one) => one === chosen) ?? installations[0] ?? ''
  const begin = (task: MoveTask) => beginMove({ task, installation })
  const whyDisabled = current ? t('A run goes on.') : undefined
  const handleTakeBack = () =>
    confirmDanger({
      title: t('Take back the import from {{name}}?', { name: installation }),
      content: t(
        'What it brought goes, unless it was changed here since or something else needs it. Sessions, commands and logs stay as evidence. JumpServer is not touched.',
      ),
      okText: t('Take back'),
      onOk: () => begin('take_back'),
    })
  return (
    <section className="panel" aria-label={t('The way back')}>
      <h2>{t('The way back')}</h2>
      <div className={`inside ${styles.source}`}>
        <p className="quiet">
          {t('An import can be taken back whole. Try it first: the report says what goes and what stays.')}
        </p>
        <div className={styles.buttons}>
          {installations.length > 1 && (
            <NativeSelect aria-label={t('Import from')} value={installation} onChange={setChosen}>
              {installations.map((one) => (
                <option key={one} value={one}>
                  {one}
                </option>
              ))}
            </NativeSelect>
          )}
          <Button
            whyDisabled={whyDisabled}
            onClick={() => void begin('try_take_back').catch((error) => showError(errorText(error)))}
          >
            {taskWords('try_take_back')}
          </Button>
          <Button danger whyDisabled={whyDisabled} onClick={handleTakeBack}>
            {taskWords('take_back')}
          </Button>
        </div>
      </div>
    </section>
  )
}
