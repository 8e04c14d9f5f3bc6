import { useId, useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { RadioGroup } from '../../design/inputs/RadioGroup.tsx'
import { t } from '../../lib/i18n.ts'
import type { EncodingOffer } from './row-calls.ts'

/**
 * A text that is no Unicode may be of several encodings: each is shown with what the file says in
 * it, and a person who knows the file chooses.
 */
export function EncodingChoice({
  name,
  offers,
  busy,
  onChoose,
}: {
  /** Name of the file. */
  name: string
  offers: readonly EncodingOffer[]
  busy: boolean
  onChoose: (encoding: string) => void
}) {
  const id = useId()
  const [chosen, setChosen] = useState<string>()
  return (
    <fieldset className="encoding-choice">
      <legend id={id}>{t('In which of these does “{{name}}” show the right letters?', { name })}</legend>
      <RadioGroup
        isColumn
        aria-labelledby={id}
        disabled={busy}
        value={chosen}
        onChange={setChosen}
        options={offers.map(({ encoding, label, sample }) => ({
          value: encoding,
          label: (
            <>
              <span>{label}</span>
              <samp>{sample.join('\n')}</samp>
            </>
          ),
        }))}
      />
      <Button type="primary" disabled={!chosen} loading={busy} onClick={() => chosen && onChoose(chosen)}>
        {t('Read the file')}
      </Button>
    </fieldset>
  )
}
