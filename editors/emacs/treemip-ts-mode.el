;;; treemip-ts-mode.el --- Specs of treemip, by tree-sitter  -*- lexical-binding: t; -*-

;; Version: 0.1.0
;; Package-Requires: ((emacs "29.1"))
;; Keywords: languages

;;; Commentary:

;; Colours, indents, folds of outline and Imenu for `.tree' files, and Eglot with `treemip lsp'.
;; The grammar is in editors/tree-sitter-treemip; docs/editors.md says how to install it.

;;; Code:

(require 'treesit)
(require 'treemip-ts-words)

(defvar eglot-server-programs)

(defgroup treemip nil "Specs of treemip." :group 'languages)

(defcustom treemip-ts-indent 2
  "Columns of one step further in."
  :type 'natnum
  :safe #'natnump)

(defvar treemip-ts--syntax
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?# "<" table)
    (modify-syntax-entry ?\n ">" table)
    (modify-syntax-entry ?_ "w" table)
    (dolist (mark '(?+ ?- ?* ?/ ?^ ?< ?> ?= ?! ?.))
      (modify-syntax-entry mark "." table))
    table)
  "Comments, names and operators.")

(defun treemip-ts--one-of (words)
  "A pattern of exactly one of WORDS."
  (concat "\\`" (regexp-opt words) "\\'"))

(defvar treemip-ts--colours
  (treesit-font-lock-rules
   :language 'treemip
   :feature 'comment
   '((comment) @font-lock-comment-face)

   :language 'treemip
   :feature 'string
   '((string) @font-lock-string-face)

   :language 'treemip
   :feature 'keyword
   `([,@treemip-ts-heads ,@treemip-ts-words] @font-lock-keyword-face
     (reduction operator: _ @font-lock-keyword-face)
     (var kind: _ @font-lock-type-face))

   :language 'treemip
   :feature 'definition
   '((tree_name name: (identifier) @font-lock-function-name-face)
     (param name: (identifier) @font-lock-function-name-face)
     (set name: (identifier) @font-lock-function-name-face)
     (tree name: (identifier) @font-lock-function-name-face)
     (var name: (identifier) @font-lock-function-name-face)
     (let name: (identifier) @font-lock-function-name-face)
     (concept name: (identifier) @font-lock-function-name-face)
     (term name: (identifier) @font-lock-function-name-face)
     (objective name: (identifier) @font-lock-function-name-face)
     (later name: (identifier) @font-lock-function-name-face)
     (constraint name: (identifier) @font-lock-function-name-face)
     (local_set name: (identifier) @font-lock-function-name-face)
     (formulation name: (identifier) @font-lock-constant-face)
     (formulation kind: (identifier) @font-lock-constant-face)
     (use module: (identifier) @font-lock-constant-face)
     (split kind: (identifier) @font-lock-constant-face)
     (split module: (identifier) @font-lock-constant-face)
     (topology kind: (identifier) @font-lock-constant-face))

   :language 'treemip
   :feature 'property
   '((setting key: (identifier) @font-lock-property-name-face)
     (word (identifier) @font-lock-constant-face))

   :language 'treemip
   :feature 'number
   '((number) @font-lock-number-face)

   :language 'treemip
   :feature 'builtin
   `(((name :anchor (identifier) @font-lock-type-face)
      (:match ,(treemip-ts--one-of treemip-ts-sets) @font-lock-type-face))
     ((name :anchor (identifier) @font-lock-constant-face)
      (:match ,(treemip-ts--one-of treemip-ts-constants) @font-lock-constant-face))
     ((name :anchor (identifier) @font-lock-builtin-face (arguments))
      (:match ,(treemip-ts--one-of treemip-ts-functions) @font-lock-builtin-face))
     ((name :anchor (identifier) @font-lock-variable-name-face)
      (:match ,(treemip-ts--one-of treemip-ts-names) @font-lock-variable-name-face)))

   :language 'treemip
   :feature 'operator
   `([,@treemip-ts-operators "*"] @font-lock-operator-face)

   :language 'treemip
   :feature 'bracket
   '(["(" ")" "[" "]" "{" "}"] @font-lock-bracket-face)

   :language 'treemip
   :feature 'delimiter
   '([";" "," ":"] @font-lock-delimiter-face))
  "Faces of what the grammar finds.")

(defconst treemip-ts--statements
  '("formulation" "param" "set" "tree" "var" "let" "concept" "term" "objective" "subject_to"
    "constraint" "cut" "drop" "requirement" "route" "predict" "setting")
  "Nodes whose further lines are one step further in.")

(defvar treemip-ts--indents
  `((treemip
     ((parent-is "file") column-0 0)
     ((node-is "}") parent-bol 0)
     ((node-is ")") parent-bol 0)
     ((parent-is "local_set") parent-bol 0)
     ((parent-is "settings") parent-bol treemip-ts-indent)
     ((parent-is "default_block") parent-bol treemip-ts-indent)
     ((parent-is ,(regexp-opt treemip-ts--statements)) parent-bol treemip-ts-indent)
     (catch-all treemip-ts--statement treemip-ts-indent)))
  "Indents, as `treemip fmt' writes them.")

(defun treemip-ts--statement (_node parent &rest _)
  "Where the line of the statement around PARENT begins."
  (let ((around (treesit-parent-until
                 parent
                 (lambda (each) (member (treesit-node-type each) treemip-ts--statements))
                 t)))
    (save-excursion
      (goto-char (treesit-node-start (or around parent)))
      (back-to-indentation)
      (point))))

(defun treemip-ts--name (node)
  "The name that NODE declares."
  (treesit-node-text (treesit-node-child-by-field-name node "name") t))

;;;###autoload
(define-derived-mode treemip-ts-mode prog-mode "treemip"
  "Specs of treemip."
  :syntax-table treemip-ts--syntax
  (unless (treesit-ready-p 'treemip)
    (error "No tree-sitter grammar of treemip: M-x treesit-install-language-grammar"))
  (treesit-parser-create 'treemip)
  (setq-local comment-start "# "
              comment-start-skip "#+[ \t]*"
              indent-tabs-mode nil
              treesit-font-lock-settings treemip-ts--colours
              treesit-font-lock-feature-list
              '((comment definition) (keyword string) (builtin number property)
                (bracket delimiter operator))
              treesit-simple-indent-rules treemip-ts--indents
              treesit-simple-imenu-settings
              `(("Row" "\\`constraint\\'" nil treemip-ts--name)
                ("Name" ,(rx bos (or "param" "set" "tree" "var" "let" "concept" "term") eos)
                 nil treemip-ts--name))
              treesit-defun-type-regexp
              (rx bos (or "param" "set" "tree" "var" "let" "concept" "term" "objective"
                          "constraint" "data" "strategy" "requirement")
                  eos))
  (treesit-major-mode-setup))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.tree\\'" . treemip-ts-mode))

(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs '(treemip-ts-mode "treemip" "lsp")))

(provide 'treemip-ts-mode)
;;; treemip-ts-mode.el ends here
