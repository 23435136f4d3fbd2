// What a command says, bounded: its beginning and its end, however much there was between.
import { binaryKind } from '../files/file-read.ts'

const headBytes = 8 * 1024 * 1024
const tailBytes = 8 * 1024 * 1024

export class Output {
  private readonly head: Buffer[] = []
  private headSize = 0
  private tail: Buffer[] = []
  private tailSize = 0
  /** Bytes in all. */
  size = 0

  add(bytes: Buffer): void {
    this.size += bytes.length
    const room = headBytes - this.headSize
    if (room > 0) {
      this.head.push(bytes.subarray(0, room))
      this.headSize += Math.min(room, bytes.length)
    }
    if (bytes.length <= room) return
    this.tail.push(bytes.subarray(Math.max(0, room)))
    this.tailSize += bytes.length - Math.max(0, room)
    if (this.tailSize > tailBytes * 2) this.shorten()
  }

  /** Binary output is named, not shown. */
  text(): string {
    const start = Buffer.concat(this.head)
    const kind = binaryKind(start.subarray(0, 8192))
    if (kind !== null) return `[${this.size} bytes of binary output (${kind}), not shown]`
    if (this.tailSize === 0) return start.toString('utf8')
    this.shorten()
    const lost = this.size - this.headSize - this.tailSize
    const gap = lost > 0 ? `\n[... ${lost} bytes in the middle are not kept ...]\n` : ''
    // Joined before it is decoded where nothing is missing: a character may lie over the border.
    return lost > 0
      ? start.toString('utf8') + gap + Buffer.concat(this.tail).toString('utf8')
      : Buffer.concat([start, ...this.tail]).toString('utf8')
  }

  private shorten(): void {
    const all = Buffer.concat(this.tail)
    const kept = Buffer.from(all.subarray(Math.max(0, all.length - tailBytes)))
    this.tail = [kept]
    this.tailSize = kept.length
  }
}
