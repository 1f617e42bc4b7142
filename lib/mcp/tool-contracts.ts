import type { Scope } from '../contract/scopes.ts';
import type { ToolName } from './tool-table.ts';

/** A JSON Schema of a tool's arguments. */
interface Input {
  readonly properties: Readonly<Record<string, object>>;
  readonly [member: string]: unknown;
}

/** Generated from the routing table by `npm run generate`: the scopes and the arguments of each tool. */
export const TOOL_CONTRACTS: Readonly<
  Record<ToolName, { readonly scopes: readonly Scope[]; readonly input: Input }>
> = {
  "create_job": {
    "scopes": [
      "write"
    ],
    "input": {
      "type": "object",
      "properties": {
        "prompt": {
          "description": "The task. The agent of the job sees nothing else of your conversation.",
          "example": "Say hello.",
          "type": "string",
          "minLength": 1
        },
        "extra_prompt": {
          "description": "Text that is added after the prompt.",
          "type": "string"
        },
        "rule_ids": {
          "description": "Ids of rules whose texts are put before the prompt, in this order. Not with a profile of the agent `shell`.",
          "maxItems": 100,
          "type": "array",
          "items": {
            "type": "string",
            "minLength": 1,
            "maxLength": 255
          }
        },
        "profile": {
          "description": "Name of an execution profile. Default: the default profile of the deployment.",
          "type": "string",
          "minLength": 1,
          "maxLength": 255
        },
        "model": {
          "description": "Model to use instead of the model of the profile.",
          "type": "string",
          "minLength": 1,
          "maxLength": 255
        },
        "priority": {
          "description": "Jobs with a higher priority start earlier. Default: 0.",
          "example": 0,
          "type": "integer",
          "minimum": -9007199254740991,
          "maximum": 9007199254740991,
          "format": "int64"
        },
        "retries": {
          "description": "Number of additional attempts after a failure. Default: the profile's, or 0.",
          "type": "integer",
          "minimum": 0,
          "maximum": 100
        },
        "title": {
          "description": "Title that lists show instead of the prompt. Empty: none. Normalized to Unicode NFC. No control, bidirectional or invisible characters.",
          "example": "Greeting",
          "type": "string",
          "maxLength": 120
        },
        "tags": {
          "description": "Tags to find the job by. Duplicates are dropped. An empty list removes all tags.",
          "maxItems": 10,
          "type": "array",
          "items": {
            "type": "string",
            "minLength": 1,
            "maxLength": 40
          }
        },
        "cwd": {
          "description": "Working folder, created if it does not exist. A relative path is below the workspace of the project; an absolute path must be below an allowed root. The workspace itself and the private folders of other jobs are not allowed. Default: a private folder. No control, bidirectional or invisible characters.",
          "type": "string",
          "minLength": 1,
          "maxLength": 4096
        },
        "idempotency_key": {
          "description": "A request with a key that its sender has used before returns the id of the existing job. `replayed` and `differs` of the answer say so. Keys of different senders are different.",
          "type": "string",
          "minLength": 1,
          "maxLength": 255
        },
        "project": {
          "description": "Id or name of the project. An unknown project is created. Default: `local_project`. Normalized to Unicode NFC. No control, bidirectional or invisible characters.",
          "type": "string",
          "minLength": 1,
          "maxLength": 100
        }
      },
      "required": [
        "prompt"
      ],
      "additionalProperties": false
    }
  },
  "run_job": {
    "scopes": [
      "write",
      "read",
      "logs"
    ],
    "input": {
      "type": "object",
      "properties": {
        "prompt": {
          "description": "The task. The agent of the job sees nothing else of your conversation.",
          "example": "Say hello.",
          "type": "string",
          "minLength": 1
        },
        "extra_prompt": {
          "description": "Text that is added after the prompt.",
          "type": "string"
        },
        "rule_ids": {
          "description": "Ids of rules whose texts are put before the prompt, in this order. Not with a profile of the agent `shell`.",
          "maxItems": 100,
          "type": "array",
          "items": {
            "type": "string",
            "minLength": 1,
            "maxLength": 255
          }
        },
        "profile": {
          "description": "Name of an execution profile. Default: the default profile of the deployment.",
          "type": "string",
          "minLength": 1,
          "maxLength": 255
        },
        "model": {
          "description": "Model to use instead of the model of the profile.",
          "type": "string",
          "minLength": 1,
          "maxLength": 255
        },
        "priority": {
          "description": "Jobs with a higher priority start earlier. Default: 0.",
          "example": 0,
          "type": "integer",
          "minimum": -9007199254740991,
          "maximum": 9007199254740991,
          "format": "int64"
        },
        "retries": {
          "description": "Number of additional attempts after a failure. Default: the profile's, or 0.",
          "type": "integer",
          "minimum": 0,
          "maximum": 100
        },
        "title": {
          "description": "Title that lists show instead of the prompt. Empty: none. Normalized to Unicode NFC. No control, bidirectional or invisible characters.",
          "example": "Greeting",
          "type": "string",
          "maxLength": 120
        },
        "tags": {
          "description": "Tags to find the job by. Duplicates are dropped. An empty list removes all tags.",
          "maxItems": 10,
          "type": "array",
          "items": {
            "type": "string",
            "minLength": 1,
            "maxLength": 40
          }
        },
        "cwd": {
          "description": "Working folder, created if it does not exist. A relative path is below the workspace of the project; an absolute path must be below an allowed root. The workspace itself and the private folders of other jobs are not allowed. Default: a private folder. No control, bidirectional or invisible characters.",
          "type": "string",
          "minLength": 1,
          "maxLength": 4096
        },
        "idempotency_key": {
          "description": "A request with a key that its sender has used before returns the id of the existing job. `replayed` and `differs` of the answer say so. Keys of different senders are different.",
          "type": "string",
          "minLength": 1,
          "maxLength": 255
        },
        "project": {
          "description": "Id or name of the project. An unknown project is created. Default: `local_project`. Normalized to Unicode NFC. No control, bidirectional or invisible characters.",
          "type": "string",
          "minLength": 1,
          "maxLength": 100
        }
      },
      "required": [
        "prompt"
      ],
      "additionalProperties": false
    }
  },
  "run_template": {
    "scopes": [
      "write",
      "read",
      "logs"
    ],
    "input": {
      "type": "object",
      "properties": {
        "template": {
          "description": "Name of the template.",
          "type": "string",
          "minLength": 1,
          "maxLength": 255
        },
        "template_version": {
          "description": "Version of the template. Default: the newest.",
          "type": "integer",
          "minimum": 1,
          "maximum": 9007199254740991
        },
        "parameters": {
          "description": "Values by the names of parameters, such as {\"package\": \"zod\", \"major\": true}. A value is data: braces in it have no meaning.",
          "type": "object",
          "additionalProperties": {
            "anyOf": [
              {
                "type": "string"
              },
              {
                "type": "number"
              },
              {
                "type": "boolean"
              }
            ]
          }
        },
        "profile": {
          "description": "Name of an execution profile, instead of the template's.",
          "type": "string",
          "minLength": 1,
          "maxLength": 255
        },
        "priority": {
          "description": "Jobs with a higher priority start earlier. Default: 0.",
          "example": 0,
          "type": "integer",
          "minimum": -9007199254740991,
          "maximum": 9007199254740991,
          "format": "int64"
        },
        "retries": {
          "description": "Number of additional attempts after a failure. Default: the profile's, or 0.",
          "type": "integer",
          "minimum": 0,
          "maximum": 100
        },
        "title": {
          "description": "Title that lists show instead of the prompt. Empty: none. Normalized to Unicode NFC. No control, bidirectional or invisible characters.",
          "example": "Greeting",
          "type": "string",
          "maxLength": 120
        },
        "tags": {
          "description": "Tags to find the job by. Duplicates are dropped. An empty list removes all tags.",
          "maxItems": 10,
          "type": "array",
          "items": {
            "type": "string",
            "minLength": 1,
            "maxLength": 40
          }
        },
        "project": {
          "description": "Id or name of the project, instead of the template's.",
          "type": "string",
          "minLength": 1,
          "maxLength": 100
        },
        "idempotency_key": {
          "description": "A request with a key that its sender has used before returns the id of the existing job. `replayed` and `differs` of the answer say so. Keys of different senders are different.",
          "type": "string",
          "minLength": 1,
          "maxLength": 255
        }
      },
      "required": [
        "template"
      ],
      "additionalProperties": false
    }
  },
  "continue_job": {
    "scopes": [
      "write"
    ],
    "input": {
      "type": "object",
      "properties": {
        "id": {
          "type": "string",
          "minLength": 1,
          "description": "The id of the job to continue."
        },
        "prompt": {
          "description": "The task. The agent knows the earlier prompts and answers of this thread.",
          "example": "Say hello.",
          "type": "string",
          "minLength": 1
        },
        "profile": {
          "description": "Name of an execution profile. Default: that of the job. Name it if the service refuses the job because its profile has got more rights.",
          "type": "string",
          "minLength": 1,
          "maxLength": 255
        },
        "title": {
          "description": "Title that lists show instead of the prompt. Empty: none. Normalized to Unicode NFC. No control, bidirectional or invisible characters.",
          "example": "Greeting",
          "type": "string",
          "maxLength": 120
        },
        "idempotency_key": {
          "description": "A request with a key that its sender has used before returns the id of the existing job. `replayed` and `differs` of the answer say so. Keys of different senders are different.",
          "type": "string",
          "minLength": 1,
          "maxLength": 255
        },
        "continue_after": {
          "description": "How the turn before it has to end, if it has not ended yet. `success`: if that turn fails or is cancelled, this job waits until the turn is retried or this job is submitted. Only with `continue`. Default: `success`.",
          "type": "string",
          "enum": [
            "success",
            "any"
          ]
        },
        "fresh_folder": {
          "description": "Works in a new private folder instead of the thread's. The agent is then given the prompts and answers of the thread, since a session belongs to its folder. Only with `continue`.",
          "type": "boolean"
        }
      },
      "required": [
        "id",
        "prompt"
      ],
      "additionalProperties": false
    }
  },
  "fork_job": {
    "scopes": [
      "write"
    ],
    "input": {
      "type": "object",
      "properties": {
        "id": {
          "type": "string",
          "minLength": 1,
          "description": "The id of the job to fork."
        },
        "prompt": {
          "description": "The task. The agent knows the earlier prompts and answers of this thread.",
          "example": "Say hello.",
          "type": "string",
          "minLength": 1
        },
        "profile": {
          "description": "Name of an execution profile. Default: that of the job. Name it if the service refuses the job because its profile has got more rights.",
          "type": "string",
          "minLength": 1,
          "maxLength": 255
        },
        "title": {
          "description": "Title that lists show instead of the prompt. Empty: none. Normalized to Unicode NFC. No control, bidirectional or invisible characters.",
          "example": "Greeting",
          "type": "string",
          "maxLength": 120
        },
        "idempotency_key": {
          "description": "A request with a key that its sender has used before returns the id of the existing job. `replayed` and `differs` of the answer say so. Keys of different senders are different.",
          "type": "string",
          "minLength": 1,
          "maxLength": 255
        }
      },
      "required": [
        "id",
        "prompt"
      ],
      "additionalProperties": false
    }
  },
  "wait_for_job": {
    "scopes": [
      "read"
    ],
    "input": {
      "type": "object",
      "properties": {
        "id": {
          "type": "string",
          "minLength": 1,
          "description": "The id of the job."
        },
        "timeout_seconds": {
          "type": "integer"
        }
      },
      "required": [
        "id"
      ],
      "additionalProperties": false
    }
  },
  "job_status": {
    "scopes": [
      "read"
    ],
    "input": {
      "type": "object",
      "properties": {
        "id": {
          "type": "string",
          "minLength": 1,
          "description": "The id of the job."
        }
      },
      "required": [
        "id"
      ],
      "additionalProperties": false
    }
  },
  "read_job": {
    "scopes": [
      "read"
    ],
    "input": {
      "type": "object",
      "properties": {
        "id": {
          "type": "string",
          "minLength": 1,
          "description": "The id of the job."
        },
        "limit": {
          "minimum": 1,
          "maximum": 32000,
          "type": "integer",
          "description": "Maximum number of characters of each text. Default: what fits into a short answer."
        }
      },
      "required": [
        "id"
      ],
      "additionalProperties": false
    }
  },
  "job_result": {
    "scopes": [
      "logs"
    ],
    "input": {
      "type": "object",
      "properties": {
        "id": {
          "type": "string",
          "minLength": 1,
          "description": "The id of the job."
        },
        "attempt": {
          "description": "Number of the attempt. Default: the newest.",
          "type": "integer",
          "minimum": 1,
          "maximum": 9007199254740991
        },
        "message_offset": {
          "type": "integer",
          "minimum": 0,
          "description": "Character at which to read on in a long final message: next_message_offset of the last answer."
        },
        "message_length": {
          "type": "integer",
          "minimum": 1,
          "maximum": 32000,
          "description": "Maximum number of characters of the final message to return. Default: what fits into a short answer."
        }
      },
      "required": [
        "id"
      ],
      "additionalProperties": false
    }
  },
  "job_logs": {
    "scopes": [
      "logs",
      "read"
    ],
    "input": {
      "type": "object",
      "properties": {
        "id": {
          "type": "string",
          "minLength": 1,
          "description": "The id of the job."
        },
        "stream": {
          "description": "Stream to return. Default: `all`.",
          "type": "string",
          "enum": [
            "stdout",
            "stderr",
            "all"
          ]
        },
        "attempt": {
          "description": "Number of the attempt. Default: the newest.",
          "type": "integer",
          "minimum": 1,
          "maximum": 9007199254740991
        },
        "offset": {
          "description": "Byte offset in the stored stream at which to start. Requires `stream=stdout` or `stream=stderr`. Continue with `next_offset`.",
          "type": "integer",
          "minimum": 0,
          "maximum": 9007199254740991
        },
        "limit": {
          "description": "Maximum number of bytes of each stream to return. Fewer come if the answer would be too long.",
          "type": "integer",
          "minimum": 4,
          "maximum": 65536,
          "default": 2048
        }
      },
      "required": [
        "id"
      ],
      "additionalProperties": false
    }
  },
  "send_message": {
    "scopes": [
      "write"
    ],
    "input": {
      "type": "object",
      "properties": {
        "id": {
          "type": "string",
          "minLength": 1,
          "description": "The id of the job."
        },
        "text": {
          "type": "string",
          "description": "What to tell the agent, at most 32768 bytes.",
          "example": "Leave the tests as they are."
        },
        "idempotency_key": {
          "description": "Identifies the message in its job: a repeated request of its sender with the same key adds none and returns its id.",
          "type": "string",
          "minLength": 1,
          "maxLength": 255
        },
        "only_now": {
          "description": "Whether the message is only for this job. If not, and if the job succeeds or fails before its agent has the message, it becomes the prompt of the next turn of the thread.",
          "type": "boolean"
        }
      },
      "required": [
        "id",
        "text"
      ],
      "additionalProperties": false
    }
  },
  "cancel_job": {
    "scopes": [
      "write",
      "read"
    ],
    "input": {
      "type": "object",
      "properties": {
        "id": {
          "type": "string",
          "minLength": 1,
          "description": "The id of the job."
        },
        "tree": {
          "default": false,
          "description": "Whether to cancel all descendants of the job too, even if the job itself has ended. It gets no further ones, unless it is retried.",
          "type": "boolean"
        }
      },
      "required": [
        "id"
      ],
      "additionalProperties": false
    }
  },
  "list_questions": {
    "scopes": [
      "read"
    ],
    "input": {
      "type": "object",
      "properties": {
        "id": {
          "type": "string",
          "minLength": 1,
          "description": "The id of the job."
        },
        "offset": {
          "type": "integer",
          "minimum": 0,
          "description": "The next_offset of the last answer, to read further questions."
        },
        "limit": {
          "minimum": 1,
          "maximum": 20,
          "type": "integer",
          "description": "Maximum number of questions to return, with all of their texts. Default: what fits into a short answer."
        }
      },
      "required": [
        "id"
      ],
      "additionalProperties": false
    }
  },
  "answer_question": {
    "scopes": [
      "write",
      "read"
    ],
    "input": {
      "type": "object",
      "properties": {
        "id": {
          "type": "string",
          "minLength": 1,
          "description": "The id of the job."
        },
        "question_id": {
          "type": "string",
          "minLength": 1,
          "maxLength": 255,
          "description": "The `id` of the open question."
        },
        "answer": {
          "type": "string",
          "minLength": 1,
          "description": "The answer, up to 16384 bytes."
        }
      },
      "required": [
        "id",
        "question_id",
        "answer"
      ],
      "additionalProperties": false
    }
  },
  "list_jobs": {
    "scopes": [
      "read"
    ],
    "input": {
      "type": "object",
      "properties": {
        "status": {
          "description": "Only jobs with this status.",
          "type": "string",
          "enum": [
            "DRAFT",
            "QUEUED",
            "RUNNING",
            "SUCCEEDED",
            "FAILED",
            "CANCELLED"
          ]
        },
        "needs": {
          "description": "`answer`: only jobs with an open question of their agent: those that are QUEUED for the answer, and RUNNING ones whose agent still waits for a quick one.",
          "type": "string",
          "enum": [
            "answer"
          ]
        },
        "search": {
          "description": "Only jobs that contain all of these words, in any order and regardless of case and of how letters are composed (Unicode NFKC). The search covers title, tags, project, cwd and the first 8000 characters of the prompt texts, and for words of 6 characters or more also the id. Text in double quotes counts as one word.",
          "type": "string",
          "maxLength": 200
        },
        "project": {
          "description": "Only jobs of the project with this id or name.",
          "type": "string",
          "minLength": 1,
          "maxLength": 100
        },
        "profile": {
          "description": "Only jobs with this profile.",
          "type": "string",
          "minLength": 1,
          "maxLength": 255
        },
        "tag": {
          "description": "Only jobs with this tag.",
          "type": "string",
          "minLength": 1,
          "maxLength": 40
        },
        "tree": {
          "description": "Only the job with this id and its descendants. Not with `search` or `thread`.",
          "type": "string",
          "minLength": 1,
          "maxLength": 255
        },
        "template": {
          "description": "Only jobs that were created from the template with this name.",
          "type": "string",
          "minLength": 1,
          "maxLength": 255
        },
        "cursor": {
          "description": "The `next_cursor` of the previous page. Use it with the same filters.",
          "type": "string",
          "minLength": 1,
          "maxLength": 2000
        },
        "limit": {
          "description": "Maximum number of jobs to return.",
          "type": "integer",
          "minimum": 1,
          "maximum": 50,
          "default": 20
        }
      },
      "required": [],
      "additionalProperties": false
    }
  },
  "list_files": {
    "scopes": [
      "attachments"
    ],
    "input": {
      "type": "object",
      "properties": {
        "id": {
          "type": "string",
          "minLength": 1,
          "description": "The id of the job."
        },
        "attempt": {
          "description": "Number of the attempt. Default: the newest that has ended.",
          "type": "integer",
          "minimum": 1,
          "maximum": 9007199254740991
        },
        "offset": {
          "type": "integer",
          "minimum": 0,
          "description": "The next_offset of the last answer."
        }
      },
      "required": [
        "id"
      ],
      "additionalProperties": false
    }
  },
  "read_file": {
    "scopes": [
      "attachments"
    ],
    "input": {
      "type": "object",
      "properties": {
        "id": {
          "type": "string",
          "minLength": 1,
          "description": "The id of the job."
        },
        "attempt": {
          "description": "Number of the attempt. Default: the newest that has ended.",
          "type": "integer",
          "minimum": 1,
          "maximum": 9007199254740991
        },
        "path": {
          "type": "string",
          "minLength": 1,
          "description": "The `path` of the file in the list.",
          "example": "src/main.py"
        },
        "offset": {
          "type": "integer",
          "minimum": 0,
          "description": "The next_offset of the last answer."
        },
        "limit": {
          "minimum": 1,
          "maximum": 40000,
          "default": 3500,
          "type": "integer",
          "description": "Maximum number of characters to return. Fewer come if the answer would be too long."
        }
      },
      "required": [
        "id",
        "path"
      ],
      "additionalProperties": false
    }
  },
  "read_diff": {
    "scopes": [
      "attachments"
    ],
    "input": {
      "type": "object",
      "properties": {
        "id": {
          "type": "string",
          "minLength": 1,
          "description": "The id of the job."
        },
        "attempt": {
          "description": "Number of the attempt. Default: the newest.",
          "type": "integer",
          "minimum": 1,
          "maximum": 9007199254740991
        },
        "offset": {
          "type": "integer",
          "minimum": 0,
          "description": "The next_offset of the last answer."
        },
        "limit": {
          "minimum": 1,
          "maximum": 40000,
          "default": 3500,
          "type": "integer",
          "description": "Maximum number of characters to return. Fewer come if the answer would be too long."
        }
      },
      "required": [
        "id"
      ],
      "additionalProperties": false
    }
  },
  "list_diagrams": {
    "scopes": [
      "read"
    ],
    "input": {
      "type": "object",
      "properties": {
        "project": {
          "description": "Id or name of the project. Default: `local_project`.",
          "type": "string",
          "minLength": 1,
          "maxLength": 100
        },
        "offset": {
          "type": "integer",
          "minimum": 0,
          "description": "The next_offset of the last answer."
        }
      },
      "required": [],
      "additionalProperties": false
    }
  },
  "read_diagram": {
    "scopes": [
      "read"
    ],
    "input": {
      "type": "object",
      "properties": {
        "name": {
          "type": "string",
          "pattern": "^[a-z0-9][a-z0-9_-]{0,63}$",
          "description": "The name of the diagram.",
          "example": "order-flow"
        },
        "project": {
          "description": "Id or name of the project. Default: `local_project`.",
          "type": "string",
          "minLength": 1,
          "maxLength": 100
        },
        "offset": {
          "type": "integer",
          "minimum": 0,
          "description": "The next_offset of the last answer."
        },
        "limit": {
          "minimum": 1,
          "maximum": 40000,
          "default": 3500,
          "type": "integer",
          "description": "Maximum number of characters to return. Fewer come if the answer would be too long."
        }
      },
      "required": [
        "name"
      ],
      "additionalProperties": false
    }
  },
  "keep_diagram": {
    "scopes": [
      "write"
    ],
    "input": {
      "type": "object",
      "properties": {
        "name": {
          "type": "string",
          "pattern": "^[a-z0-9][a-z0-9_-]{0,63}$",
          "description": "The name of the diagram.",
          "example": "order-flow"
        },
        "project": {
          "description": "Id or name of the project. Default: `local_project`.",
          "type": "string",
          "minLength": 1,
          "maxLength": 100
        },
        "text": {
          "type": "string",
          "description": "Mermaid text, at most 65536 bytes. Its syntax is not checked.",
          "example": "flowchart LR\n  Order --> Invoice"
        },
        "source_job": {
          "description": "Id of the job that made the diagram. Default: unchanged, or none.",
          "type": "string",
          "minLength": 1,
          "maxLength": 255
        }
      },
      "required": [
        "name",
        "text"
      ],
      "additionalProperties": false
    }
  },
  "list_templates": {
    "scopes": [
      "read"
    ],
    "input": {
      "type": "object",
      "properties": {
        "cursor": {
          "description": "The `next_cursor` of the previous page.",
          "type": "string",
          "minLength": 1,
          "maxLength": 2000
        },
        "name": {
          "type": "string",
          "minLength": 1,
          "description": "Only the template with this name, and its prompt."
        },
        "limit": {
          "minimum": 1,
          "maximum": 50,
          "type": "integer",
          "description": "Maximum number of templates to return, with all of their texts. Default: what fits into a short answer."
        }
      },
      "required": [],
      "additionalProperties": false
    }
  },
  "list_profiles": {
    "scopes": [
      "read"
    ],
    "input": {
      "type": "object",
      "properties": {
        "cursor": {
          "description": "The `next_cursor` of the previous page.",
          "type": "string",
          "minLength": 1,
          "maxLength": 2000
        }
      },
      "required": [],
      "additionalProperties": false
    }
  }
};
