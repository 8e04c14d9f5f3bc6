import { SETTINGS_PATH } from '@sallyport/contract/settings/define.ts'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useMemo, useState } from 'react'
import { useLocation } from 'react-router'
import { showError, showSuccess } from '../../design/dialogs/feedback.tsx'
import { LazyDialog } from '../../design/dialogs/lazy-dialog.tsx'
import { LoadFailed } from '../../design/LoadFailed.tsx'
import { FormSkeleton } from '../../generic/form/FormSkeleton.tsx'
import { LazyForm } from '../../generic/form/lazy-form.ts'
import type { ResourceFormProps } from '../../generic/form/ResourceForm.tsx'
import { useDialogClose } from '../../generic/form/use-dialog-close.ts'
import { formGroups, rowValues } from '../../generic/view/form-groups.ts'
import type { FormContext, FormValues } from '../../generic/view/form-view.ts'
import { useMetadata } from '../../generic/view/metadata.ts'
import { ApiError, api, errorText, type Row, withQuery } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { forget } from '../../lib/query.ts'
import { useLeaveQuestion } from '../../navigation/use-leave-question.ts'
import { OpenDialog, StoredSettings } from './DialogField.tsx'
import { sayEnteredAgain } from './entered-again.ts'
import { DIALOGS, type SettingDialog } from './setting-dialogs.ts'
import { type SettingForm, shownGroups } from './setting-form.ts'
import { TestButton } from './TestButton.tsx'

const RELOAD_MS = 500

/**
 * The values of a category as they are stored now; a form must not change under the person's hands.
 */
function useCategory(path: string) {
  return useQuery({
    queryKey: [path, 'one'],
    queryFn: ({ signal }) => api.get<Row>(path, { signal, quiet: true }),
    gcTime: 0,
    refetchOnReconnect: false,
  })
}

interface SettingFormCardProps {
  form: SettingForm
  /** Beside the submit button. */
  extraButtons?: ReactNode
  onSaved?: () => void
  /** Over the page, whose own form asks before it is left: told whether this one holds unsaved input. */
  onDirty?: (dirty: boolean) => void
}

/** The form of a category, drawn from its metadata, with the dialogs that its buttons open. */
export function SettingFormCard({ form, extraButtons, onSaved, onDirty }: SettingFormCardProps) {
  const path = withQuery(SETTINGS_PATH, { category: form.category })
  const metadata = useMetadata(path)
  const values = useCategory(path)
  const [dialog, setDialog] = useState<SettingDialog>()
  const closing = useDialogClose(() => setDialog(undefined))
  /**
   * After saving, the form starts over with what was stored: the server may have put it in order.
   */
  const [round, setRound] = useState(0)
  const failure = metadata.error ?? values.error
  if (failure)
    return (
      <LoadFailed error={failure} onRetry={() => void (metadata.isError ? metadata.refetch() : values.refetch())} />
    )
  const remote = metadata.data?.actions.PUT
  // A dialog of the same category must not show what the page read a while ago.
  if (!remote || !values.data || !values.isFetchedAfterMount) return <FormSkeleton groups={shownGroups(form)} />
  return (
    <OpenDialog value={setDialog}>
      <StoredSettings value={values.data}>
        <LoadedForm
          key={round}
          form={form}
          {...(onDirty ? { onDirty } : {})}
          path={path}
          remote={remote}
          row={values.data}
          extraButtons={extraButtons ?? (form.testing && <TestButton path={form.testing} />)}
          onSaved={() => {
            setRound(round + 1)
            onSaved?.()
          }}
        />
      </StoredSettings>
      {dialog && (
        <LazyDialog title={t(DIALOGS[dialog].title)} width={720} onClose={closing.close}>
          <SettingFormCard form={DIALOGS[dialog]} onDirty={closing.setDirty} onSaved={() => setDialog(undefined)} />
        </LazyDialog>
      )}
    </OpenDialog>
  )
}

interface LoadedFormProps extends SettingFormCardProps {
  path: string
  remote: Parameters<typeof formGroups>[1]
  row: Row
  onSaved: () => void
}

function LoadedForm({ form, path, remote, row, extraButtons, onSaved, onDirty }: LoadedFormProps) {
  const groups = useMemo(
    () => sayEnteredAgain(formGroups({ groups: shownGroups(form) }, remote), row),
    [form, remote, row],
  )
  const initial = useMemo(
    () =>
      rowValues(
        row,
        groups.flatMap(({ fields }) => fields),
      ),
    [row, groups],
  )
  const [context] = useState<FormContext>(() => ({ mode: 'update', row, query: new URLSearchParams() }))
  const save = async (body: unknown) => {
    const { method = 'PATCH', toBody = (values: FormValues) => values } = form
    try {
      await api[method === 'PUT' ? 'put' : 'patch'](path, toBody(body as FormValues), { quiet: true })
    } catch (error) {
      if (!(error instanceof ApiError && error.fields)) showError(`${t('Update failed')}: ${errorText(error)}`)
      throw error
    }
    showSuccess(t('Saved'))
    // Dialogs and tabs show parts of the same categories.
    await forget(SETTINGS_PATH)
    onSaved()
    if (form.reload) setTimeout(() => location.reload(), RELOAD_MS)
  }
  const { hash } = useLocation()
  // A setting that was searched for.
  useEffect(() => {
    if (hash && !onDirty) focusSetting(hash.slice(1))
  }, [hash, onDirty])
  const Form = onDirty ? LazyForm : AskingForm
  return (
    <Form
      groups={groups}
      initial={initial}
      context={context}
      view={{}}
      save={save}
      {...(onDirty ? { onDirty, focusFirst: true } : {})}
      {...(extraButtons ? { extraButtons } : {})}
    />
  )
}

/** Fields are drawn a moment after their form; the switch or box takes the keyboard. */
function focusSetting(name: string): void {
  requestAnimationFrame(() => {
    const field = document.getElementById(name)
    field?.scrollIntoView({ block: 'center' })
    field?.focus()
  })
}

function AskingForm(props: ResourceFormProps) {
  const { setDirty } = useLeaveQuestion()
  return <LazyForm {...props} onDirty={setDirty} />
}
