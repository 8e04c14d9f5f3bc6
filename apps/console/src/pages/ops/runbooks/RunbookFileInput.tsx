import { RUNBOOK_FILE_MAX, RUNBOOK_FILES, type RunbookFile } from '@sallyport/contract/resources/ops/runbook.ts'
import { sizeText } from '@sallyport/contract/size-text.ts'
import { useQuery } from '@tanstack/react-query'
import { UploadIcon } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Button } from '../../../design/Button.tsx'
import { showError } from '../../../design/dialogs/feedback.tsx'
import type { WidgetProps } from '../../../generic/view/form-view.ts'
import { api, errorText } from '../../../lib/api.ts'
import { t } from '../../../lib/i18n.ts'
import { keys } from '../../../lib/query.ts'

/** A file for a step: sent as soon as it is chosen, and kept by its id. */
export function RunbookFileInput({ value, onChange, field: _, context, id, ...props }: WidgetProps<string>) {
  const input = useRef<HTMLInputElement>(null)
  const [isBusy, setBusy] = useState(false)
  // Steps may move, or go, while it is on its way.
  const latest = useRef(onChange)
  latest.current = onChange
  const isGone = useRef(false)
  useEffect(() => {
    isGone.current = false
    return () => {
      isGone.current = true
    }
  }, [])
  const [sent, setSent] = useState<RunbookFile>()
  const stored = useStoredFiles(context.row?.id as string | undefined)
  const shown = sent?.id === value ? sent : stored.find((file) => file.id === value)
  const send = async (file: File) => {
    if (file.size > RUNBOOK_FILE_MAX)
      return showError(t('A file has at most {{size}}', { size: sizeText(RUNBOOK_FILE_MAX) }))
    setBusy(true)
    try {
      const content = await inBase64(file)
      const answer = await api.post<RunbookFile>(RUNBOOK_FILES, { name: file.name, content }, { quiet: true })
      if (isGone.current)
        return showError(t('{{name}} was not used: its step was removed during the upload.', { name: file.name }))
      setSent(answer)
      latest.current?.(answer.id)
    } catch (failure) {
      showError(errorText(failure))
    } finally {
      setBusy(false)
    }
  }
  return (
    <div className="widget-row">
      <Button {...props} id={id} icon={<UploadIcon />} loading={isBusy} onClick={() => input.current?.click()}>
        {t('Select file')}
      </Button>
      <span>{shown ? `${shown.name} · ${sizeText(shown.size)}` : value ? t('File saved') : t('No file yet')}</span>
      <input
        ref={input}
        type="file"
        hidden
        onChange={({ target }) => {
          const [file] = target.files ?? []
          if (file) void send(file)
          target.value = ''
        }}
      />
    </div>
  )
}

/** Facts about its files in the versions of a runbook. */
function useStoredFiles(runbook: string | undefined): readonly RunbookFile[] {
  const path = `/api/v1/ops/runbooks/${encodeURIComponent(runbook ?? '')}/versions/`
  const versions = useQuery({
    queryKey: keys.list(path, {}),
    queryFn: ({ signal }) => api.get<{ files: RunbookFile[] }[]>(path, { signal, quiet: true }),
    enabled: runbook !== undefined,
  })
  return versions.data?.flatMap(({ files }) => files) ?? []
}

function inBase64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result).replace(/^.*?,/, ''))
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(file)
  })
}
