// What is opened is closed by its opener.
export type Closable = { [Symbol.asyncDispose](): Promise<void>; readonly closed: Promise<void> }
