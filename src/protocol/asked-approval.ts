// Reads the event `approval-requested` without a schema library, for the fold of view.ts and for who waits for a reply.
import { record, strings, text, type Untrusted } from './incoming.ts'
import type { ApprovalBrief } from './shapes.ts'

/** What the person is asked; null for data of another shape. */
export function readApproval(data: Untrusted): ApprovalBrief | null {
  const request = record(data.request)
  const [plan, decision] = [record(request?.plan), record(request?.decision)]
  const [id, words] = [text(data.approval), text(data.text)]
  const [tool, capability, target, risk] = [text(plan?.tool), text(plan?.capability), text(plan?.target), text(decision?.risk)]
  if (id === null || words === null || tool === null || capability === null || target === null || risk === null) return null
  const [preview, alternatives] = [text(plan?.preview), strings(plan?.alternatives)]
  return {
    ...{ id, text: words, risk, tool, capability, target },
    why: text(plan?.why) ?? text(decision?.reason) ?? '',
    consequences: text(plan?.consequences) ?? '',
    ...(preview === null ? {} : { preview }),
    ...(alternatives.length === 0 ? {} : { alternatives: [...alternatives] }),
    scopes: [...strings(decision?.scopes)],
    expiresAt: typeof data.due === 'number' && Math.abs(data.due) <= 8.64e15 ? new Date(data.due).toISOString() : '',
  }
}
