import { CircleCheckIcon, CircleXIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../../design/Button.tsx'
import { useEditedForm } from '../../generic/form/edited-form.ts'
import type { FormValues } from '../../generic/view/form-view.ts'
import { t } from '../../lib/i18n.ts'
import styles from './settings.module.css'
import { type TestOutcome, testSettings, useSettingsTest } from './use-settings-test.ts'

interface FormTestProps {
  words: string
  test: (values: FormValues) => Promise<TestOutcome>
  /** Further buttons, before what came of the test. */
  children?: ReactNode
}

/**
 * Has the server try what the form shows, saved or not, and says in its place how that went; a
 * secret that was not typed is the saved one.
 */
export function FormTest({ words, test, children }: FormTestProps) {
  const { validValues } = useEditedForm()
  const { busy, outcome, runTest } = useSettingsTest()
  return (
    <>
      <Button
        loading={busy}
        onClick={() => {
          const values = validValues()
          if (values) void runTest(() => test(values))
        }}
      >
        {words}
      </Button>
      {children}
      <Outcome outcome={outcome} />
    </>
  )
}

/** Beside Submit. */
export const TestButton = ({ path }: { path: string }) => (
  <FormTest words={t('Test')} test={(values) => testSettings(path, values)} />
)

/** Read out when it comes. */
export const Outcome = ({ outcome }: { outcome: TestOutcome | undefined }) => (
  <div className={`${styles.testOutcome} ${outcome?.good ? 'success' : 'danger'}`} role="status">
    {outcome && (outcome.good ? <CircleCheckIcon /> : <CircleXIcon />)}
    {outcome?.text}
  </div>
)
