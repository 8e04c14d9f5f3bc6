import { ask } from '../../design/dialogs/feedback.tsx'
import { LongInput } from '../../design/inputs/LongInput.tsx'
import { t } from '../../lib/i18n.ts'

const MAX_CHARACTERS = 1024

/** Asks before access is taken away; answers the reason for the record, or undefined for no. */
export async function askWithdrawal(title: string): Promise<string | undefined> {
  let comment = ''
  const isSure = await ask({
    title,
    content: (
      <>
        <p>{t('The permission no longer names them, and sessions that had their right from it end.')}</p>
        <LongInput
          aria-label={t('Reason, for the record')}
          placeholder={t('Reason, for the record (optional)')}
          rows={2}
          maxLength={MAX_CHARACTERS}
          onChange={(text) => {
            comment = text
          }}
        />
      </>
    ),
    okText: t('Withdraw@@access'),
    isDanger: true,
  })
  return isSure ? comment.trim() : undefined
}
